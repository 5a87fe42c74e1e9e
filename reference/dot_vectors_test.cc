// Compares exact dot products with known answers, to the last bit of the double.
//
// The vectors lie outside the repository, in ../shared/spec/vectors/vecdot; without them
// these tests say so and pass.

#include <bit>
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "reference/codec.h"
#include "reference/exact.h"
#include "reference/tensor_type.h"
#include "reference/terms.h"

using namespace gcts;

namespace {

namespace fs = std::filesystem;

using Columns = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> columns;
  std::istringstream stream(line);
  for (std::string column; std::getline(stream, column, '\t');) columns.push_back(column);
  return columns;
}

std::vector<Columns> load(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = split(line.substr(1));  // after '#'
  std::vector<Columns> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> values = split(line);
    Columns row;
    for (size_t i = 0; i < std::min(names.size(), values.size()); ++i) row[names[i]] = values[i];
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 2 <= hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::vector<double> floats_of(const std::string& hex) {
  std::vector<double> values;
  for (size_t i = 0; i + 8 <= hex.size(); i += 8)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(std::stoul(hex.substr(i, 8), nullptr, 16))));
  return values;
}

const TensorType* type_named(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return find_tensor_type(name);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dot_vectors)

BOOST_AUTO_TEST_CASE(every_row_to_the_last_bit) {
  const fs::path folder = fs::path(GCTS_SOURCE_DIR) / ".." / "shared" / "spec" / "vectors" / "vecdot";
  if (!fs::exists(folder)) {
    BOOST_TEST_MESSAGE("skipped: " << folder << " is not there");
    return;
  }
  size_t rows = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const TensorType* type = type_named(entry.path().stem().string());
    BOOST_REQUIRE(type != nullptr);
    for (const Columns& row : load(entry.path())) {
      const TensorType* activation_type = type_named(row.at("act_type"));
      BOOST_REQUIRE(activation_type != nullptr);
      const auto count = std::stoull(row.at("n"));
      const std::vector<std::byte> weights = bytes_of(row.at("weight_hex"));
      const std::vector<std::byte> activations = bytes_of(row.at("act_q_hex"));
      BOOST_REQUIRE(weights.size() == count / type->block_elements * type->block_bytes);
      BOOST_REQUIRE(activations.size() ==
                    count / activation_type->block_elements * activation_type->block_bytes);
      std::vector<float> decoded(count), decoded_activations(count);
      type->codec->dequantize(weights.data(), decoded.data(), count);
      activation_type->codec->dequantize(activations.data(), decoded_activations.data(), count);
      const std::vector<double> w(decoded.begin(), decoded.end());
      const std::vector<double> a(decoded_activations.begin(), decoded_activations.end());
      const DotProduct dot = exact_dot(w, a);
      BOOST_TEST_CONTEXT(type->name << " row " << row.at("row")) {
        BOOST_TEST(dot.value == std::strtod(row.at("exact_double_hexfloat").c_str(), nullptr));
        BOOST_TEST(dot.value == std::strtod(row.at("exact_double").c_str(), nullptr));
        BOOST_TEST(dot.magnitude == std::strtod(row.at("sum_abs_double").c_str(), nullptr));
        const DotProduct raw = exact_dot(w, floats_of(row.at("act_f32_hex")));
        BOOST_TEST(raw.value == std::strtod(row.at("exact_vs_raw_f32_act").c_str(), nullptr));
      }
      ++rows;
    }
  }
  BOOST_TEST(rows == 150u);
}

BOOST_AUTO_TEST_SUITE_END()
