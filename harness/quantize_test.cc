// The verbs quantize and dump-tensor against the codecs.

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include <boost/test/unit_test.hpp>

#include "harness/spawn_test.h"
#include "reference/codec.h"
#include "reference/finding.h"
#include "reference/reader.h"
#include "reference/tensor_type.h"
#include "reference/writer.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(quantize_verb)

BOOST_AUTO_TEST_CASE(every_type_reads_back_valid) {
  const ScratchFolder folder;
  File model = sample_model({tensor::f32, tensor::f16, tensor::bf16, tensor::q8_0}, 1 << 12);
  Tensor odd = model.tensors[0];
  odd.name = "odd";
  odd.dims = {5, 2};
  odd.data.resize(40);
  model.tensors.push_back(odd);
  for (ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    File given = model;
    given.layout.order = order;
    if (order == ByteOrder::big) {
      for (Tensor& tensor : given.tensors) {
        const TensorType& type = *find_tensor_type(tensor.type);
        swap_fields(*type.codec, tensor.data.data(), tensor.data.size() / type.block_bytes);
      }
    }
    const std::string in = folder.write("in.gguf", write_bytes(given)), out = folder.path("out.gguf");
    for (uint32_t id : quantizable_types()) {
      const TensorType& type = *find_tensor_type(id);
      const Ran ran = run_program({"quantize", in, out, "--type", std::string(type.name)});
      BOOST_TEST(ran.status == 0, type.name << ": " << ran.out << ran.err);
      const Bytes bytes = bytes_of_file(out);
      const Reading reading = read(bytes);
      const BuiltinProfile profile = order == ByteOrder::big ? BuiltinProfile::spec : BuiltinProfile::ggml;
      BOOST_TEST((judge(reading.findings, Profile::builtin(profile)) == Verdict::valid), type.name);
      BOOST_REQUIRE(reading.tensors.size() == 5);
      for (int i = 0; i < 3; ++i) BOOST_TEST(reading.tensors[i].type == id);
      BOOST_TEST(reading.tensors[3].type == tensor::q8_0);
      BOOST_TEST(write_bytes(to_file(reading)) == bytes, type.name << " is not canonical");
      const Ran checked = run_program({"check", "--strict", "--json", out});
      for (std::string_view rule : {"tensor_data", "file_type_known", "quantization_version_present"}) {
        BOOST_TEST(checked.out.find(rule) == std::string::npos, checked.out);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(bytes_are_those_of_the_codec) {
  const ScratchFolder folder;
  const File model = sample_model({tensor::f32}, 1 << 18);  // more than one piece
  const std::string in = folder.write("in.gguf", write_bytes(model)), out = folder.path("out.gguf");
  BOOST_TEST(run_program({"quantize", in, out, "--type", "Q4_0"}).status == 0);
  const Bytes bytes = bytes_of_file(out);
  const Reading reading = read(bytes);
  Bytes expected((1 << 18) / 32 * 18);
  codec::q4_0.quantize(reinterpret_cast<const float*>(model.tensors[0].data.data()), nullptr, expected.data(), 1 << 18);
  BOOST_REQUIRE(reading.tensors.size() == 1);
  BOOST_TEST(std::equal(expected.begin(), expected.end(), reading.tensors[0].data.begin(), reading.tensors[0].data.end()));
  BOOST_TEST(reading.find("general.file_type")->value.as_unsigned().value() == 2);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_done_is_refused) {
  const ScratchFolder folder;
  const std::string in = folder.write("in.gguf", write_bytes(sample_model({tensor::f32})));
  BOOST_TEST(run_program({"quantize", in, folder.path("o"), "--type", "q9_9"}).status == 2);
  BOOST_TEST(run_program({"quantize", in, folder.path("o"), "--type", "i8"}).status == 2);
  BOOST_TEST(run_program({"quantize", in, in, "--type", "q4_0"}).status == 2);
  BOOST_TEST(run_program({"quantize", in, folder.path("no/such/folder"), "--type", "q4_0"}).status == 2);
  const std::string bad = folder.write("bad.gguf", Bytes(10));
  BOOST_TEST(run_program({"quantize", bad, folder.path("o"), "--type", "q4_0"}).status == 1);
  BOOST_TEST(access(folder.path("o").c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dump_tensor_verb)

BOOST_AUTO_TEST_CASE(values_and_bits_are_those_of_the_codec) {
  const ScratchFolder folder;
  const File model = sample_model({tensor::q5_1, tensor::f32});
  const std::string path = folder.write("a.gguf", write_bytes(model));
  std::vector<float> values(512);
  codec::q5_1.dequantize(model.tensors[0].data.data(), values.data(), 512);
  std::istringstream bits(run_program({"dump-tensor", path, model.tensors[0].name, "--bits"}).out);
  std::istringstream rows(run_program({"dump-tensor", path, model.tensors[0].name, "--rows", "1:"}).out);
  std::string line;
  for (size_t i = 0; i < 512; ++i) {
    BOOST_REQUIRE(std::getline(bits, line));
    uint32_t expected = 0;
    std::memcpy(&expected, &values[i], 4);
    BOOST_TEST(std::stoul(line, nullptr, 16) == expected);
    BOOST_TEST(line.size() == 8);
  }
  for (size_t i = 256; i < 512; ++i) {
    BOOST_REQUIRE(std::getline(rows, line));
    BOOST_TEST(std::stof(line) == values[i]);
  }
  BOOST_TEST(!std::getline(rows, line));
  BOOST_TEST(run_program({"dump-tensor", path, "absent"}).status == 2);
  BOOST_TEST(run_program({"dump-tensor", path, model.tensors[0].name, "--rows", "1:3"}).status == 2);
  BOOST_TEST(run_program({"dump-tensor", path, model.tensors[0].name, "--rows", "0:0"}).out.empty());
}

BOOST_AUTO_TEST_CASE(integers_beyond_f32_are_exact) {
  const ScratchFolder folder;
  File model;
  Tensor tensor;
  tensor.name = "counts";
  tensor.type = tensor::i64;
  tensor.dims = {2};
  const int64_t values[] = {INT64_MIN, 9007199254740993};
  const auto bytes = std::as_bytes(std::span(values));
  tensor.data.assign(bytes.begin(), bytes.end());
  model.tensors.push_back(tensor);
  const Ran ran = run_program({"dump-tensor", folder.write("a.gguf", write_bytes(model)), "counts"});
  BOOST_TEST(ran.out == "-9223372036854775808\n9007199254740993\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
