// The writer: known bytes, one sequence of bytes from every strategy, and a field
// map that covers all of them.

#include "reference/writer.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace gcts {
namespace {

using namespace std::string_literals;

Bytes bytes_of(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(data, data + text.size());
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Every kind of field.
File rich_model(Layout layout = {}) {
  File file;
  file.layout = layout;
  file.set("a.u8", Value::u8(7));
  file.set("a.text", Value::string("hi"));
  file.set("a.numbers", Value::array(ValueType::int16, {Value::i16(-1), Value::i16(2)}));
  file.set("a.words", Value::strings({"x", "", "yz"}));
  file.set("a.nested", Value::array(ValueType::array,
                                    {Value::strings({"q"}), Value::array(ValueType::uint8, {Value::u8(1)})}));
  file.set("a.empty", Value::array(ValueType::float64, {}));
  file.tensors.push_back({"t0", 24, {3, 1}, bytes_of("abc"), {}});
  file.tensors.push_back({"t1", 24, {33}, Bytes(33, std::byte{9}), {}});
  return file;
}

void check_covered(const Written& written) {
  uint64_t at = 0;
  for (const Field& field : written.fields) {
    BOOST_TEST(field.offset == at);
    BOOST_TEST(field.size > 0u);
    at = field.offset + field.size;
  }
  BOOST_TEST(at == written.bytes.size());
}

BOOST_AUTO_TEST_SUITE(writer)

BOOST_AUTO_TEST_CASE(known_bytes) {
  File file;
  file.set("k", Value::u16(0x0102));
  file.tensors.push_back({"t", 24, {2}, bytes_of("ab"), {}});
  const std::string expected =
      "GGUF\3\0\0\0"s
      "\1\0\0\0\0\0\0\0"s
      "\1\0\0\0\0\0\0\0"s                                                       // counts
      "\1\0\0\0\0\0\0\0k\2\0\0\0\2\1"s                                          // k
      "\1\0\0\0\0\0\0\0t\1\0\0\0\2\0\0\0\0\0\0\0\x18\0\0\0\0\0\0\0\0\0\0\0"s +  // t
      std::string(24, '\0') +
      "ab"s + std::string(30, '\0');
  BOOST_TEST(text_of(write_bytes(file)) == expected);
}

BOOST_AUTO_TEST_CASE(known_bytes_version_1_and_big_endian) {
  File file;
  file.set("k", Value::u16(0x0102));
  file.layout.version = 1;
  BOOST_TEST(text_of(write_bytes(file)) == "GGUF\1\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0k\2\0\0\0\2\1"s);
  file.layout = {3, ByteOrder::big};
  BOOST_TEST(text_of(write_bytes(file)) ==
             "GGUF\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1k\0\0\0\2\1\2"s);
}

BOOST_AUTO_TEST_CASE(strategies_agree_and_fields_cover) {
  for (const uint32_t version : {1u, 2u, 3u}) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
      for (const bool pad_last : {false, true}) {
        const File file = rich_model({version, order});
        WriteOptions options;
        options.pad_last_tensor = pad_last;
        const Written whole = write(file, options);
        check_covered(whole);
        BOOST_TEST((whole.bytes == write_bytes(file, options)));
        for (const WriteStrategy strategy : {WriteStrategy::metadata_first, WriteStrategy::reserve}) {
          options.strategy = strategy;
          const Written other = write(file, options);
          BOOST_TEST((other.bytes == whole.bytes));
          check_covered(other);
          BOOST_TEST(other.fields.size() == whole.fields.size());
        }
        BOOST_TEST(whole.bytes.size() % 32 == (pad_last ? 0u : 1u));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(fields_are_found_read_and_patched) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    Written written = write(rich_model({3, order}));
    BOOST_TEST(written.read(*written.find(FieldKind::metadata_count)) == 6u);
    BOOST_TEST(written.read(*written.find(FieldKind::dimension, 0, 1)) == 1u);
    BOOST_TEST(written.read(*written.find(FieldKind::string_length, 3, 2)) == 2u);
    BOOST_TEST(written.read(*written.find(FieldKind::element_count, 4, 1)) == 1u);
    BOOST_TEST(written.read(*written.find(FieldKind::element_type, 4, 2)) == 0u);
    BOOST_TEST(written.find(FieldKind::string_bytes, 3, 1) == nullptr);
    BOOST_TEST(written.find(FieldKind::dimension, 1, 1) == nullptr);
    const Field* offset = written.find(FieldKind::tensor_offset, 1);
    BOOST_TEST(written.read(*offset) == 32u);
    written.patch(*offset, 0x1122334455667788);
    BOOST_TEST(written.read(*offset) == 0x1122334455667788u);
  }
}

BOOST_AUTO_TEST_CASE(alignment_moves_the_data) {
  for (const uint32_t alignment : {1u, 2u, 8u, 24u, 64u, 65536u}) {
    File file = rich_model();
    file.set(kAlignmentKey, Value::u32(alignment));
    const Written written = write(file);
    BOOST_TEST(written.find(FieldKind::tensor_data, 0)->offset % alignment == 0u);
    BOOST_TEST(written.read(*written.find(FieldKind::tensor_offset, 1)) == align_up(3, alignment));
    check_covered(written);
  }
}

BOOST_AUTO_TEST_CASE(own_offsets_place_the_data) {
  File file = rich_model();
  file.tensors[0].offset = 96;
  file.tensors[1].offset = 0;
  const Written swapped = write(file);
  check_covered(swapped);
  BOOST_TEST(swapped.find(FieldKind::tensor_data, 0)->offset -
                 swapped.find(FieldKind::tensor_data, 1)->offset ==
             96u);

  file.tensors[0].offset = 32;  // over the last byte of the other, which is written later
  const Written overlapping = write(file);
  check_covered(overlapping);
  BOOST_TEST(overlapping.find(FieldKind::tensor_data, 1)->size == 33u);
  BOOST_TEST(overlapping.find(FieldKind::tensor_data, 0)->size == 2u);

  file.tensors[0].offset = ~uint64_t{0};
  const Written unreachable = write(file);
  check_covered(unreachable);
  BOOST_TEST(unreachable.read(*unreachable.find(FieldKind::tensor_offset, 0)) == ~uint64_t{0});
  BOOST_TEST(unreachable.bytes.size() < 1000u);
}

BOOST_AUTO_TEST_CASE(padding_without_tensors_is_asked_for) {
  File file = rich_model();
  file.tensors.clear();
  const Written bare = write(file);
  check_covered(bare);
  BOOST_TEST(bare.find(FieldKind::padding) == nullptr);
  WriteOptions options;
  options.pad_without_tensors = true;
  BOOST_TEST(write_bytes(file, options).size() == align_up(bare.bytes.size(), 32));
}

BOOST_AUTO_TEST_CASE(nesting_does_not_recurse) {
  constexpr size_t kDepth = 1000;
  Value value = Value::array(ValueType::uint8, {Value::u8(5)});
  for (size_t i = 1; i < kDepth; ++i) {
    std::vector<Value> elements;
    elements.push_back(std::move(value));
    value = Value::array(ValueType::array, std::move(elements));
  }
  File file;
  file.set("n", std::move(value));
  BOOST_TEST(write_bytes(file).size() == 24 + 8 + 1 + 4 + kDepth * 12 + 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
