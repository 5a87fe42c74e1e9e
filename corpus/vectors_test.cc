// The known-answer documents: as committed, well-formed, and true.

#include "corpus/vectors.h"

#define BOOST_TEST_MODULE vectors
#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "reference/codec.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kDocuments = fs::path(GCTS_SOURCE_DIR) / "corpus" / "vectors";
constexpr size_t kLargestDocument = 62 * 1024;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<const TensorType*> current_types() {
  std::vector<const TensorType*> types;
  for (const TensorType& type : tensor_types()) {
    if (type.codec != nullptr) types.push_back(&type);
  }
  return types;
}

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<float> floats_of(const std::string& hex) {
  std::vector<float> values;
  for (size_t i = 0; i < hex.size(); i += 8) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(std::stoul(hex.substr(i, 8), nullptr, 16))));
  }
  return values;
}

bool same(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(documents)

// A type that has no document yet is told, not failed: `write_vectors corpus/vectors`
// makes it.
BOOST_AUTO_TEST_CASE(are_what_the_codecs_make) {
  size_t compared = 0;
  std::set<std::string> names;
  for (const TensorType* type : current_types()) {
    const std::string name = std::string(type->name) + ".json";
    names.insert(name);
    const fs::path path = kDocuments / name;
    if (!fs::exists(path)) {
      BOOST_TEST_MESSAGE(name << " is not there: write_vectors corpus/vectors makes it");
      continue;
    }
    BOOST_CHECK_MESSAGE(
        contents(path) == vectors_json(*type),
        name << " differs from what the codec gives; write_vectors corpus/vectors makes it again");
    ++compared;
  }
  BOOST_TEST(compared >= 35u);
  for (const auto& entry : fs::directory_iterator(kDocuments)) {
    BOOST_CHECK_MESSAGE(names.count(entry.path().filename().string()) == 1, entry.path()
                                                                                << " belongs to no type");
  }
}

BOOST_AUTO_TEST_CASE(are_small_and_well_formed) {
  for (const TensorType* type : current_types()) {
    BOOST_TEST_CONTEXT(type->name) {
      const std::string text = vectors_json(*type);
      BOOST_TEST(text.size() <= kLargestDocument);
      const json document = json::parse(text);
      BOOST_TEST(document["type"] == type->name);
      BOOST_TEST(document["id"] == type->id);
      std::set<int> ids;
      std::set<std::string> used;
      for (const char* kind : {"dequantize", "quantize"}) {
        for (const json& test : document[kind]) {
          BOOST_TEST(ids.insert(test["id"].get<int>()).second);
          BOOST_TEST(!test["comment"].get<std::string>().empty());
          BOOST_TEST(!test["flags"].empty());
          for (const json& flag : test["flags"]) used.insert(flag.get<std::string>());
          const auto result = test["result"].get<std::string>();
          BOOST_TEST((result == "valid" || result == "invalid" || result == "disputed"));
        }
      }
      // Every flag is explained, and every explanation is of a flag.
      std::set<std::string> explained;
      for (const auto& note : document["notes"].items()) explained.insert(note.key());
      BOOST_TEST((used == explained));
    }
  }
}

// Read back as a stranger would: the texts say what the codecs do.
BOOST_AUTO_TEST_CASE(hold_when_read_back) {
  for (const TensorType* type : current_types()) {
    const json document = json::parse(vectors_json(*type));
    for (const json& test : document["dequantize"]) {
      const std::vector<std::byte> blocks = bytes_of(test["block"]);
      const std::vector<float> expected = floats_of(test["values"]);
      BOOST_REQUIRE_EQUAL(expected.size() * type->block_bytes, blocks.size() * type->block_elements);
      std::vector<float> values(expected.size());
      type->codec->dequantize(blocks.data(), values.data(), values.size());
      BOOST_CHECK_MESSAGE(std::equal(values.begin(), values.end(), expected.begin(), same),
                          type->name << " test " << test["id"]);
      const uint64_t count = blocks.size() / type->block_bytes;
      const bool illegal = type->codec->scan(blocks.data(), count, false) < count;
      BOOST_CHECK_MESSAGE(illegal == (test["result"] == "invalid"), type->name << " test " << test["id"]);
    }
    for (const json& test : document["quantize"]) {
      const std::vector<float> input = floats_of(test["input"]);
      std::vector<std::byte> blocks(input.size() / type->block_elements * type->block_bytes);
      type->codec->quantize(input.data(), nullptr, blocks.data(), input.size());
      BOOST_CHECK_MESSAGE(blocks == bytes_of(test["block"]), type->name << " test " << test["id"]);
    }
  }
}

// Every edge that a type's fields can have is shown.
BOOST_AUTO_TEST_CASE(show_the_edges) {
  for (const TensorType* type : current_types()) {
    const json document = json::parse(vectors_json(*type));
    const auto has = [&](const char* kind, std::string_view flag) {
      return std::any_of(document[kind].begin(), document[kind].end(), [flag](const json& test) {
        return std::find(test["flags"].begin(), test["flags"].end(), flag) != test["flags"].end();
      });
    };
    bool f16_scale = false;
    bool disputed_scale = false;
    for (const BlockField& field : type->codec->fields) {
      if (field.role != FieldRole::scale) continue;
      f16_scale |= field.format == NumberFormat::f16 || field.format == NumberFormat::u16;
      disputed_scale |= field.format == NumberFormat::e8m0 || field.format == NumberFormat::ue4m3;
    }
    BOOST_TEST_CONTEXT(type->name) {
      if (f16_scale) {
        for (const char* flag : {"negative_zero", "subnormal", "largest", "infinite", "nan"}) {
          BOOST_CHECK_MESSAGE(has("dequantize", flag), flag);
        }
      }
      if (disputed_scale) BOOST_TEST(has("dequantize", "reserved_scale"));
      if (type->block_elements > 1) {
        BOOST_TEST(has("dequantize", "extreme_codes"));
        BOOST_TEST((has("dequantize", "all_codes") || has("dequantize", "not_canonical")));
      }
      BOOST_TEST((type->codec->quantize == nullptr) == document["quantize"].empty());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
