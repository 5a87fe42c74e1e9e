// Tests of the data model: values of any depth.

#include "reference/gguf.h"

#include <boost/test/unit_test.hpp>
#include <utility>

#include "reference/reader.h"
#include "reference/writer.h"

using namespace gcts;

namespace {

Value nested(int depth) {
  Value v = Value::array(ValueType::uint8, {});
  for (int i = 0; i < depth; ++i) {
    std::vector<Value> inner;
    inner.push_back(std::move(v));
    v = Value::array(ValueType::array, std::move(inner));
  }
  return v;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(data_model)

// A million levels would need hundreds of megabytes of stack if any step recursed.
BOOST_AUTO_TEST_CASE(deep_values_are_copied_compared_written_read_and_destroyed) {
  File file;
  file.set("a.b", nested(1000000));
  const File copy = file;
  BOOST_TEST((copy == file));
  const Bytes bytes = write_bytes(file);
  BOOST_TEST((to_file(read(bytes)).metadata == file.metadata));
}

BOOST_AUTO_TEST_CASE(a_value_can_become_one_of_its_elements) {
  Value v = Value::strings({"a", "b"});
  v = std::move(v.elements[1]);
  BOOST_TEST(v.text == "b");
  Value w = Value::strings({"c", "d"});
  w = Value(w.elements[0]);
  BOOST_TEST(w.text == "c");
}

BOOST_AUTO_TEST_CASE(values_differ_in_any_part) {
  BOOST_TEST((Value::u8(1) != Value::i8(1)));
  BOOST_TEST((Value::u8(1) != Value::u8(2)));
  BOOST_TEST((Value::strings({"a"}) != Value::strings({"b"})));
  BOOST_TEST((Value::array(ValueType::uint8, {}) != Value::array(ValueType::int8, {})));
  BOOST_TEST((nested(3) != nested(4)));
  BOOST_TEST((nested(3) == nested(3)));
}

BOOST_AUTO_TEST_SUITE_END()
