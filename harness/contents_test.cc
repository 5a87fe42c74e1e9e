// Records of contents: the collector behind a sink, and how differences are named.

#include "harness/contents.h"

#include <boost/test/unit_test.hpp>
#include <functional>

#include "harness/contents_diff.h"
#include "harness/reference_contents.h"
#include "reference/writer.h"

namespace gcts {
namespace {

gcts_string text(const char* value) { return {value, std::strlen(value)}; }

using Report = std::function<void(const gcts_sink&)>;

std::vector<uint8_t> records(const Report& report) {
  HeapBytes out;
  ContentsWriter writer(out, true);
  report(*writer.sink());
  writer.finish();
  BOOST_TEST(writer.misuse() == "");
  return {writer.bytes().begin(), writer.bytes().end()};
}

std::string misuse(const Report& report) {
  HeapBytes out;
  ContentsWriter writer(out, true);
  report(*writer.sink());
  writer.finish();
  return writer.misuse();
}

// A key of three numbers in an array, cut into calls as told.
Report array_in_runs(std::vector<uint64_t> runs) {
  return [runs](const gcts_sink& s) {
    const uint16_t values[] = {1, 2, 3, 4, 5, 6};
    s.key(s.context, text("k"));
    s.array_begin(s.context, GCTS_UINT16, 6);
    uint64_t at = 0;
    for (uint64_t run : runs) {
      s.scalars(s.context, GCTS_UINT16, values + at, run);
      at += run;
    }
    s.array_end(s.context);
  };
}

std::string difference(const Report& expected, const Report& actual) {
  return first_difference(records(expected), records(actual)).sentence();
}

Report one_scalar(uint32_t type, uint64_t bits) {
  return [=](const gcts_sink& s) {
    s.key(s.context, text("a.b"));
    s.scalars(s.context, type, &bits, 1);
  };
}

Report one_tensor(const char* name, uint32_t type, std::vector<uint64_t> dims, uint64_t offset, const char* data) {
  return [=](const gcts_sink& s) {
    s.header(s.context, 3, 0, 32);
    s.tensor(s.context, text(name), type, static_cast<uint32_t>(dims.size()), dims.data(), offset, data, 4);
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(contents)

BOOST_AUTO_TEST_CASE(how_an_array_is_cut_does_not_show) {
  BOOST_TEST(records(array_in_runs({6})) == records(array_in_runs({1, 2, 0, 3})));
  BOOST_TEST(records(array_in_runs({6})) != records(array_in_runs({1, 2})));
}

BOOST_AUTO_TEST_CASE(the_header_may_come_late) {
  const auto early = [](const gcts_sink& s) {
    s.header(s.context, 2, 1, 64);
    one_scalar(GCTS_UINT8, 1)(s);
  };
  const auto late = [](const gcts_sink& s) {
    one_scalar(GCTS_UINT8, 1)(s);
    s.header(s.context, 2, 1, 64);
  };
  BOOST_TEST(records(early) == records(late));
}

BOOST_AUTO_TEST_CASE(misuse_is_noticed) {
  const uint8_t byte = 0;
  const std::pair<Report, const char*> wrong[] = {
      {[](const gcts_sink& s) { s.array_end(s.context); }, "array_end without array_begin"},
      {[&](const gcts_sink& s) { s.scalars(s.context, GCTS_UINT8, &byte, 1); }, "a value without a key"},
      {[](const gcts_sink& s) { s.key(s.context, {nullptr, 5}); }, "null pointer"},
      {[](const gcts_sink& s) { s.key(s.context, text("a")); }, "whose value was not reported"},
      {[](const gcts_sink& s) {
         s.key(s.context, text("a"));
         s.key(s.context, text("b"));
       },
       "whose value was not reported"},
      {[&](const gcts_sink& s) {
         s.key(s.context, text("a"));
         s.scalars(s.context, GCTS_STRING, &byte, 1);
       },
       "no scalar"},
      {[](const gcts_sink& s) {
         s.key(s.context, text("a"));
         s.scalars(s.context, GCTS_UINT64, nullptr, 1);
       },
       "null pointer"},
      {[&](const gcts_sink& s) {
         s.key(s.context, text("a"));
         s.scalars(s.context, GCTS_UINT64, &byte, UINT64_MAX / 2);
       },
       "does not fit 64 bits"},
      {[](const gcts_sink& s) {
         s.key(s.context, text("a"));
         s.array_begin(s.context, GCTS_UINT8, 1);
       },
       "not ended"},
      {[](const gcts_sink& s) {
         s.header(s.context, 3, 0, 32);
         s.header(s.context, 3, 0, 32);
       },
       "reported twice"},
      {[](const gcts_sink& s) { s.tensor(s.context, text("t"), 0, 2, nullptr, 0, nullptr, 0); }, "null pointer"},
      {[](const gcts_sink& s) { s.tensor(s.context, text("t"), 0, 0x80000000u, nullptr, 0, nullptr, 0); }, "dimensions"},
  };
  for (const auto& [report, explanation] : wrong) {
    const std::string found = misuse(report);
    BOOST_TEST(found.find(explanation) != std::string::npos, found << " does not say " << explanation);
  }
}

BOOST_AUTO_TEST_CASE(a_limit_holds) {
  HeapBytes out;
  ContentsWriter writer(out, true, 100);
  for (int i = 0; i < 1000; ++i) one_scalar(GCTS_UINT64, 1)(*writer.sink());
  BOOST_TEST(writer.bytes().size() <= 100);
  BOOST_TEST(writer.misuse().find("more contents") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(differences_are_named) {
  BOOST_TEST(difference(one_scalar(GCTS_UINT32, 32), one_scalar(GCTS_UINT32, 33)) ==
             "key 'a.b': expected uint32 32, got uint32 33");
  BOOST_TEST(difference(one_scalar(GCTS_INT8, 0xff), one_scalar(GCTS_UINT8, 0xff)) ==
             "key 'a.b': expected int8 -1, got uint8 255");
  BOOST_TEST(difference(one_scalar(GCTS_FLOAT32, 0x80000000), one_scalar(GCTS_FLOAT32, 0)) ==
             "key 'a.b': expected float32 -0 (0x80000000), got float32 0 (0x00000000)");
  BOOST_TEST(difference(array_in_runs({6}), array_in_runs({5})) == "key 'k'[5]: expected uint16 6, got the end of the array");
  BOOST_TEST(difference(one_tensor("t", 2, {32}, 0, "abcd"), one_tensor("t", 3, {32}, 0, "abcd")) ==
             "tensor 't': expected type q4_0 (id 2), got type q4_1 (id 3)");
  BOOST_TEST(difference(one_tensor("t", 2, {32, 2}, 0, "abcd"), one_tensor("t", 2, {2, 32}, 0, "abcd")) ==
             "tensor 't': expected shape 32 x 2, got shape 2 x 32");
  const std::string bytes = difference(one_tensor("t", 2, {32}, 0, "abcd"), one_tensor("t", 2, {32}, 0, "abce"));
  BOOST_TEST(bytes.find("tensor 't': expected bytes with XXH3 ") == 0, bytes);
  BOOST_TEST(difference(one_tensor("t", 2, {32}, 0, "abcd"), one_scalar(GCTS_UINT8, 1)) ==
             "header: expected header reported, got header not reported");
}

BOOST_AUTO_TEST_CASE(byte_order_does_not_show) {
  File file;
  file.set("a", Value::u32(0x01020304));
  file.set("b", Value::array(ValueType::float64, {Value::f64(1.5), Value::f64(-2)}));
  file.set("c", Value::strings({"x", ""}));
  const Bytes little = write_bytes(file);
  file.layout.order = ByteOrder::big;
  const Bytes big = write_bytes(file);
  std::vector<uint8_t> from_little = encode_reading(read(little), true);
  std::vector<uint8_t> from_big = encode_reading(read(big), true);
  BOOST_TEST(first_difference(from_little, from_big).sentence() ==
             "header: expected byte order little-endian, got byte order big-endian");
  std::fill_n(from_little.begin(), ContentsWriter::kHeaderBytes, uint8_t{0});
  std::fill_n(from_big.begin(), ContentsWriter::kHeaderBytes, uint8_t{0});
  BOOST_TEST(from_little == from_big);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
