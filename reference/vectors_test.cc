// Compares the codecs with known answers recorded from ggml: dequantized bits,
// quantized bytes, legality, and the error that the searching quantizers make.
//
// The vectors lie outside the repository, in ../shared/spec/vectors; without them
// these tests say so and pass.

#include <boost/test/unit_test.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "reference/codec.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;

const fs::path kVectors = fs::path(GCTS_SOURCE_DIR) / ".." / "shared" / "spec" / "vectors";

// One row of a vector file: a block, what it decodes to, and for `Q` rows what it was
// made from.
struct Row {
  std::string where;  // "Q4_0.tsv:12 normal"
  std::string label;
  std::vector<float> input;
  std::vector<std::byte> block;
  std::vector<float> values;
  bool valid = false;

  bool quantized() const { return !input.empty(); }
  bool bytes_defined() const { return label.find("!qs_indeterminate") == std::string::npos; }
};

struct VectorFile {
  const TensorType* type = nullptr;
  std::vector<Row> rows;
};

std::vector<std::string> split_tabs(const std::string& line) {
  std::vector<std::string> columns;
  size_t begin = 0;
  for (size_t tab; (tab = line.find('\t', begin)) != std::string::npos; begin = tab + 1) {
    columns.push_back(line.substr(begin, tab - begin));
  }
  columns.push_back(line.substr(begin));
  return columns;
}

uint32_t parse_hex(const char* begin, size_t digits) {
  uint32_t number = 0;
  const auto result = std::from_chars(begin, begin + digits, number, 16);
  BOOST_REQUIRE(result.ptr == begin + digits);
  return number;
}

std::vector<float> parse_values(const std::string& hex) {
  std::vector<float> values;
  if (hex == "-") return values;
  for (size_t i = 0; i + 8 <= hex.size(); i += 8)
    values.push_back(std::bit_cast<float>(parse_hex(&hex[i], 8)));
  return values;
}

std::vector<std::byte> parse_bytes(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 2 <= hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(parse_hex(&hex[i], 2)));
  return bytes;
}

VectorFile load(const fs::path& path) {
  VectorFile file;
  std::string name = path.stem().string();
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  file.type = find_tensor_type(name);
  BOOST_REQUIRE_MESSAGE(file.type != nullptr && file.type->codec != nullptr, name << " is not a type");
  std::ifstream in(path);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> columns = split_tabs(line);
    BOOST_REQUIRE_EQUAL(columns.size(), 6u);
    Row row;
    row.label = columns[1];
    row.where = path.filename().string() + ":" + std::to_string(number) + " " + row.label;
    row.input = parse_values(columns[2]);
    row.block = parse_bytes(columns[3]);
    row.values = parse_values(columns[4]);
    row.valid = columns[5] == "1";
    file.rows.push_back(std::move(row));
  }
  return file;
}

// Every vector file, read once; empty where the vectors are absent.
const std::vector<VectorFile>& vector_files() {
  static const std::vector<VectorFile> files = [] {
    std::vector<VectorFile> loaded;
    if (!fs::is_directory(kVectors)) return loaded;
    for (const auto& entry : fs::directory_iterator(kVectors)) {
      if (entry.path().extension() == ".tsv") loaded.push_back(load(entry.path()));
    }
    BOOST_REQUIRE_EQUAL(loaded.size(), 27u + 2u);  // 27 quantized types, f16, bf16
    return loaded;
  }();
  if (files.empty()) BOOST_TEST_MESSAGE("skipped: " << kVectors << " is absent");
  return files;
}

bool same_bits(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

std::vector<float> decode(const TensorType& type, const std::vector<std::byte>& block) {
  const uint64_t count = block.size() / type.block_bytes * type.block_elements;
  std::vector<float> values(count, -1.0f);
  type.codec->dequantize(block.data(), values.data(), count);
  return values;
}

std::vector<std::byte> encode(const TensorType& type, const std::vector<float>& values) {
  std::vector<std::byte> block(values.size() / type.block_elements * type.block_bytes, std::byte{0xcc});
  type.codec->quantize(values.data(), nullptr, block.data(), values.size());
  return block;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vectors)

BOOST_AUTO_TEST_CASE(dequantize_gives_the_recorded_bits) {
  for (const VectorFile& file : vector_files()) {
    for (const Row& row : file.rows) {
      BOOST_REQUIRE_EQUAL(row.block.size() % file.type->block_bytes, 0u);
      const std::vector<float> values = decode(*file.type, row.block);
      BOOST_REQUIRE_EQUAL(values.size(), row.values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        if (same_bits(values[i], row.values[i])) continue;
        BOOST_ERROR(row.where << ": element " << i << " is " << values[i] << ", recorded " << row.values[i]);
        break;
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(quantize_gives_the_recorded_bytes) {
  size_t types = 0;
  for (const VectorFile& file : vector_files()) {
    BOOST_REQUIRE(file.type->codec->quantize != nullptr);
    if (file.type->codec->searches) continue;
    ++types;
    for (const Row& row : file.rows) {
      if (!row.quantized() || !row.bytes_defined()) continue;
      const std::vector<std::byte> block = encode(*file.type, row.input);
      BOOST_REQUIRE_EQUAL(block.size(), row.block.size());
      if (file.type->block_elements == 1) {
        // Plain floats: a NaN may have any payload.
        const std::vector<float> ours = decode(*file.type, block);
        for (size_t i = 0; i < ours.size(); ++i) {
          BOOST_CHECK_MESSAGE(same_bits(ours[i], row.values[i]), row.where << ": element " << i);
        }
        continue;
      }
      const auto differ = std::mismatch(block.begin(), block.end(), row.block.begin());
      BOOST_CHECK_MESSAGE(differ.first == block.end(),
                          row.where << ": byte " << differ.first - block.begin() << " differs");
    }
  }
  BOOST_TEST(types == (vector_files().empty() ? 0u : 16u));
}

// ggml accepts a row exactly if nothing in it is illegal for everyone.  Two types
// differ, as codec.h explains: its validator refuses any Q8_1, and E8M0 255, which
// counts here under --strict only.
BOOST_AUTO_TEST_CASE(validate_agrees_with_the_recorded_verdict) {
  for (const VectorFile& file : vector_files()) {
    const TensorType& type = *file.type;
    for (const Row& row : file.rows) {
      bool illegal = false;
      bool strict = false;
      for (size_t at = 0; at < row.block.size(); at += type.block_bytes) {
        const BlockFault fault = type.codec->validate(&row.block[at]);
        illegal |= fault.what != nullptr && !fault.strict_only;
        strict |= fault.what != nullptr;
      }
      const uint64_t blocks = row.block.size() / type.block_bytes;
      BOOST_CHECK_MESSAGE((type.codec->scan(row.block.data(), blocks, false) < blocks) == illegal, row.where);
      BOOST_CHECK_MESSAGE((type.codec->scan(row.block.data(), blocks, true) < blocks) == strict, row.where);
      if (type.id == tensor::q8_1) continue;
      if (type.id == tensor::mxfp4) {
        BOOST_CHECK_MESSAGE(!illegal && strict == !row.valid, row.where);
      } else {
        BOOST_CHECK_MESSAGE(illegal == !row.valid, row.where);
      }
    }
  }
}

// The quantizers that search may find other blocks than ggml's, but not worse ones:
// over a type's rows the squared error, plain and weighted by x^2, exceeds that of the
// recorded blocks by at most 1 %; by 2 % for the types that want importance weights,
// here all ones.
BOOST_AUTO_TEST_CASE(searching_quantizers_err_no_more_than_the_recorded_blocks) {
  for (const VectorFile& file : vector_files()) {
    const TensorType& type = *file.type;
    if (!type.codec->searches) continue;
    double ours = 0;
    double theirs = 0;
    double ours_weighted = 0;
    double theirs_weighted = 0;
    for (const Row& row : file.rows) {
      if (!row.quantized()) continue;
      const std::vector<float> values = decode(type, encode(type, row.input));
      for (size_t i = 0; i < values.size(); ++i) {
        const double x = row.input[i];
        const double mine = values[i] - x;
        const double recorded = row.values[i] - x;
        if (!std::isfinite(recorded)) continue;
        ours += mine * mine;
        theirs += recorded * recorded;
        ours_weighted += x * x * mine * mine;
        theirs_weighted += x * x * recorded * recorded;
      }
    }
    const bool wants_importance = type.id == tensor::iq2_xxs || type.id == tensor::iq2_xs ||
                                  type.id == tensor::iq1_s || type.id == tensor::iq1_m;
    const double allowed = wants_importance ? 1.02 : 1.01;
    BOOST_TEST_MESSAGE(type.name << ": squared error " << ours / theirs << ", weighted "
                                 << ours_weighted / theirs_weighted << " of the recorded blocks'");
    BOOST_CHECK_MESSAGE(ours <= allowed * theirs, type.name << ": " << ours << " against " << theirs);
    BOOST_CHECK_MESSAGE(ours_weighted <= allowed * theirs_weighted,
                        type.name << " weighted: " << ours_weighted << " against " << theirs_weighted);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
