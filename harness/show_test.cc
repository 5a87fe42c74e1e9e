// The verb show: no value loses a bit, and people see sizes.

#include <cmath>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "harness/spawn_test.h"
#include "reference/reader.h"
#include "reference/tensor_type.h"
#include "reference/writer.h"

namespace gcts {
namespace {

using nlohmann::json;

json parsed(const std::string& text) { return json::parse(text, nullptr, false); }

BOOST_AUTO_TEST_SUITE(show_verb)

BOOST_AUTO_TEST_CASE(published_files_show_their_keys_and_no_tensors) {
  for (const std::string& file : real_files()) {
    const Bytes bytes = bytes_of_file(file);
    const Reading reading = read(bytes);
    const Ran ran = run_program({"show", "--json", file});
    BOOST_TEST(ran.status == 0);
    const json shown = parsed(ran.out);
    BOOST_REQUIRE(shown.is_object());
    BOOST_TEST(shown["version"] == 3);
    BOOST_TEST(shown["endianness"] == "little");
    BOOST_TEST(shown["alignment"] == 32);
    BOOST_TEST(shown["tensors"].empty());
    BOOST_REQUIRE(shown["metadata"].size() == reading.metadata.size());
    for (size_t i = 0; i < reading.metadata.size(); ++i) {
      const json& pair = shown["metadata"][i];
      BOOST_TEST(pair["key"] == reading.metadata[i].key);
      BOOST_TEST(pair["type"] == value_type_name(reading.metadata[i].value.type));
      if (pair["type"] == "array") BOOST_TEST(pair["value"].size() == reading.metadata[i].value.count);
    }
  }
}

BOOST_AUTO_TEST_CASE(no_value_loses_a_bit) {
  const ScratchFolder folder;
  File model = sample_model({tensor::q4_0});
  model.set("x.u64", Value::u64(UINT64_MAX));
  model.set("x.i64", Value::i64(INT64_MIN));
  model.set("x.f32", Value::f32(0.1f));
  model.set("x.f64", Value::f64(5e-324));
  model.set("x.negative_zero", Value::f32(-0.0f));
  model.set("x.nan", Value::scalar(ValueType::float32, 0x7fc00001));
  model.set("x.infinities", Value::array(ValueType::float64, {Value::f64(INFINITY), Value::f64(-INFINITY)}));
  model.set("x.bool", Value::boolean(true));
  model.set("x.bytes", Value::string("\xff\xfe"));
  model.set("x.empty", Value::array(ValueType::uint8, {}));
  model.set("x.nested", Value::array(ValueType::array, {Value::array(ValueType::uint8, {Value::u8(1), Value::u8(2)}), Value::strings({"a"})}));
  for (ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    model.layout.order = order;
    const Ran ran = run_program({"show", "--json", folder.write("a.gguf", write_bytes(model))});
    const json shown = parsed(ran.out);
    BOOST_REQUIRE_MESSAGE(shown.is_object(), ran.out);
    BOOST_TEST(shown["endianness"] == (order == ByteOrder::little ? "little" : "big"));
    auto value = [&](std::string_view key) {
      for (const json& pair : shown["metadata"]) {
        if (pair["key"] == key) return pair["value"];
      }
      return json();
    };
    BOOST_TEST(value("x.u64").get<uint64_t>() == UINT64_MAX);
    BOOST_TEST(value("x.i64").get<int64_t>() == INT64_MIN);
    BOOST_TEST(value("x.f32").get<float>() == 0.1f);
    BOOST_TEST(value("x.f64").get<double>() == 5e-324);
    BOOST_TEST(std::signbit(value("x.negative_zero").get<double>()));
    BOOST_TEST(value("x.nan") == "nan:7fc00001");
    BOOST_TEST(value("x.infinities").dump() == R"(["inf","-inf"])");
    BOOST_TEST(value("x.bool") == true);
    BOOST_TEST(value("x.bytes").dump() == R"({"hex":"fffe"})");
    BOOST_TEST(value("x.empty").dump() == "[]");
    BOOST_TEST(value("x.nested").dump() ==
               R"([{"element_type":"uint8","value":[1,2]},{"element_type":"string","value":["a"]}])");
    BOOST_REQUIRE(shown["tensors"].size() == 1);
    BOOST_TEST(shown["tensors"][0].dump() == R"({"dims":[256,2],"name":"blk.0.q4_0.weight","offset":0,"size":288,"type":"q4_0"})");
  }
}

BOOST_AUTO_TEST_CASE(people_see_sizes_and_the_cache) {
  const ScratchFolder folder;
  File model = sample_model({tensor::q8_0, tensor::f16});
  model.set("llama.block_count", Value::u32(2));
  model.set("llama.context_length", Value::u32(4096));
  model.set("llama.embedding_length", Value::u32(64));
  model.set("llama.attention.head_count", Value::u32(8));
  model.set("llama.attention.head_count_kv", Value::array(ValueType::uint32, {Value::u32(2), Value::u32(4)}));
  const std::string path = folder.write("a.gguf", write_bytes(model));
  const std::string text = run_program({"show", path}).out;
  BOOST_TEST(text.find("parameters       1.02 k  (1024)") != std::string::npos, text);
  BOOST_TEST(text.find("bits per weight  12.250") != std::string::npos, text);
  // 4096 positions x (2 + 4) heads x (8 + 8) elements x 2 bytes
  BOOST_TEST(text.find("786 kB as f16 for a context of 4096") != std::string::npos, text);
  BOOST_TEST(run_program({"show", "--context", "1", path}).out.find("192 B as f16") != std::string::npos);
  const std::string bare = run_program({"show", folder.write("b.gguf", write_bytes(sample_model({tensor::f32})))}).out;
  BOOST_TEST(bare.find("no usable llama.block_count") != std::string::npos, bare);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
