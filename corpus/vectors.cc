// Makes the known-answer documents: blocks at every edge, and inputs at every edge.

#include "corpus/vectors.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "corpus/vector_tests.h"
#include "reference/codec.h"

namespace gcts {
namespace {

// What a flag means, and what a broken implementation does.
struct Note {
  std::string_view flag;
  std::string_view description;
  std::string_view effect;
};

constexpr Note kNotes[] = {
    {"zero", "All bytes, or all elements, are zero.",
     "Zero blocks are common; a sign or a code of zero taken wrongly makes them non-zero."},
    {"negative_zero", "A scale or an element is -0.", "Zeros lose their sign."},
    {"subnormal", "A scale or value is a subnormal number of its format.",
     "Flushed to zero, a whole block vanishes."},
    {"largest", "A scale or value is the largest finite one.",
     "Products overflow in formats narrower than f32."},
    {"infinite", "A scale or value is infinite.",
     "Elements whose code is zero are NaN, the others infinite; a validator has to find it."},
    {"nan", "A scale or value is NaN: all its elements are NaN.",
     "A NaN that is swallowed hides a damaged model."},
    {"all_codes", "The code bytes count up, so that every byte value occurs at several places.",
     "A wrong order of nibbles or bits, or a wrong table entry, shows."},
    {"extreme_codes", "All code bytes are alike, at an end of their range.",
     "Signs and high bits are taken wrongly, or a code that quantizers never give is."},
    {"subscales", "The packed sub-scales are all at one end of their range.",
     "Packed six-bit, three-bit or four-bit fields are unpacked wrongly."},
    {"reserved_scale", "The scale byte is one that implementations read differently.",
     "NaN, zero or a huge number, according to whom one asks."},
    {"not_canonical", "A byte that no quantizer writes, although its digits are clear.",
     "Readers with a lookup table that lacks it give anything."},
    {"tie", "Elements lie half-way between two codes.", "Another rounding rule picks the neighbour."},
    {"underflow", "The scale is too small for its format and is stored as zero.",
     "Codes are computed with the scale before rounding; dividing by the stored one gives NaN."},
    {"overflow", "The scale is too large for its format and is stored as infinity, or saturates.",
     "The block is not usable, and no quantizer says so."},
    {"nan_input", "An element is NaN.",
     "Searches for the largest element with the wrong comparison return NaN."},
    {"infinite_input", "An element is infinite.", "Conversions to integers are undefined."},
    {"search", "The quantizer searches for a small error: other blocks can be as right.",
     "Compare the error made, not the bytes."},
    {"ordinary", "Nothing special.", "The type is not implemented as described."},
};

std::string hex_bytes(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    for (const int shift : {4, 0}) text += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> shift & 15];
  }
  return text;
}

std::string hex_values(std::span<const float> values, bool any_nan) {
  std::string text;
  text.reserve(values.size() * 8);
  for (const float value : values) {
    const uint32_t bits = any_nan && std::isnan(value) ? 0x7fc00000u : std::bit_cast<uint32_t>(value);
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[bits >> shift & 15];
  }
  return text;
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string_view result_of(const TensorType& type, std::span<const std::byte> blocks) {
  const uint64_t count = blocks.size() / type.block_bytes;
  if (type.codec->scan(blocks.data(), count, false) < count) return "invalid";
  return type.codec->scan(blocks.data(), count, true) < count ? "disputed" : "valid";
}

std::string flag_list(const std::vector<std::string_view>& flags) {
  std::string text = "[";
  for (const std::string_view flag : flags) text += (text.size() > 1 ? ", " : "") + quoted(flag);
  return text + "]";
}

std::string dequantize_line(const TensorType& type, const BlockTest& test, size_t id) {
  std::vector<float> values(test.blocks.size() / type.block_bytes * type.block_elements);
  type.codec->dequantize(test.blocks.data(), values.data(), values.size());
  return "{\"id\": " + std::to_string(id) + ", \"comment\": " + quoted(test.comment) +
         ", \"flags\": " + flag_list(test.flags) + ", \"block\": " + quoted(hex_bytes(test.blocks)) +
         ", \"values\": " + quoted(hex_values(values, true)) +
         ", \"result\": " + quoted(result_of(type, test.blocks)) + "}";
}

std::string quantize_line(const TensorType& type, const InputTest& test, size_t id) {
  std::vector<std::byte> blocks(test.input.size() / type.block_elements * type.block_bytes);
  type.codec->quantize(test.input.data(), nullptr, blocks.data(), test.input.size());
  return "{\"id\": " + std::to_string(id) + ", \"comment\": " + quoted(test.comment) +
         ", \"flags\": " + flag_list(test.flags) + ", \"input\": " + quoted(hex_values(test.input, false)) +
         ", \"block\": " + quoted(hex_bytes(blocks)) + ", \"result\": " + quoted(result_of(type, blocks)) +
         "}";
}

// A JSON array of lines, indented by two.
std::string array(std::string_view name, const std::vector<std::string>& lines) {
  std::string text = "  " + quoted(name) + ": [";
  for (size_t i = 0; i < lines.size(); ++i) text += (i > 0 ? ",\n    " : "\n    ") + lines[i];
  return text + (lines.empty() ? "]" : "\n  ]");
}

std::string notes(const std::vector<BlockTest>& blocks, const std::vector<InputTest>& inputs) {
  const auto used = [&](std::string_view flag) {
    for (const BlockTest& test : blocks) {
      for (const std::string_view own : test.flags) {
        if (own == flag) return true;
      }
    }
    for (const InputTest& test : inputs) {
      for (const std::string_view own : test.flags) {
        if (own == flag) return true;
      }
    }
    return false;
  };
  std::string text;
  for (const Note& note : kNotes) {
    if (!used(note.flag)) continue;
    text += (text.empty() ? "    " : ",\n    ") + quoted(note.flag) +
            ": {\"description\": " + quoted(note.description) + ", \"effect\": " + quoted(note.effect) + "}";
  }
  return "  \"notes\": {\n" + text + "\n  }";
}

}  // namespace

std::string vectors_json(const TensorType& type) {
  const std::vector<BlockTest> blocks = block_tests(type);
  const std::vector<InputTest> inputs = input_tests(type);
  size_t id = 0;
  std::vector<std::string> dequantize_lines;
  for (const BlockTest& test : blocks) dequantize_lines.push_back(dequantize_line(type, test, ++id));
  std::vector<std::string> quantize_lines;
  for (const InputTest& test : inputs) quantize_lines.push_back(quantize_line(type, test, ++id));
  return "{\n  \"schema\": \"gcts-vectors-1\",\n  \"type\": " + quoted(type.name) +
         ",\n  \"id\": " + std::to_string(type.id) +
         ",\n  \"block_elements\": " + std::to_string(type.block_elements) +
         ",\n  \"block_bytes\": " + std::to_string(type.block_bytes) +
         ",\n  \"license\": \"CC0-1.0\",\n  \"about\": \"block: bytes in file order. values, input: f32 "
         "bits, most "
         "significant digit first; 7fc00000 in values is any NaN.\",\n" +
         notes(blocks, inputs) + ",\n" + array("dequantize", dequantize_lines) + ",\n" +
         array("quantize", quantize_lines) + "\n}\n";
}

}  // namespace gcts
