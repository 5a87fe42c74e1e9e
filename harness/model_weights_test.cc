// Tests of run --weights: a model's tensors as the weights of kernels.
#include <boost/test/unit_test.hpp>

#include "harness/model_weights.h"
#include "harness/spawn_test.h"
#include "reference/tensor_type.h"
#include "reference/writer.h"

using namespace gcts;

BOOST_AUTO_TEST_SUITE(model_weights)

BOOST_AUTO_TEST_CASE(tensors_of_a_model_are_cases) {
  const ScratchFolder folder;
  const std::string path =
      folder.write("model.gguf", write(sample_model({tensor::q4_0, tensor::q6_k})).bytes);
  const Ran ran = run_program({"run", "--weights", path, "--run", "kernel/*/q6_k/*/weights", "--format", "tap"});
  BOOST_TEST_INFO(ran.out << ran.err);
  BOOST_TEST(ran.status == 0);
  BOOST_TEST(ran.out.find("kernel/dequantize/q6_k/exact/weights/") != std::string::npos);
  BOOST_TEST(ran.out.find("kernel/vec_dot/q6_k/exact/weights/") != std::string::npos);
  // No tensor of the type, no case.
  BOOST_TEST(run_program({"run", "--weights", path, "--run", "kernel/*/q8_0/*/weights"}).status == 3);
}

BOOST_AUTO_TEST_CASE(names_are_made_safe_and_rows_are_read) {
  const ScratchFolder folder;
  File model = sample_model({tensor::q4_0, tensor::q4_0});
  model.tensors[0].name = "a/b *";
  model.tensors[1].name = "a_b__";
  std::string error;
  const auto weights = ModelWeights::open(folder.write("model.gguf", write(model).bytes), error);
  BOOST_REQUIRE(weights);
  BOOST_REQUIRE(weights->tensors().size() == 2u);
  const WeightTensor& second = weights->tensors()[1];
  BOOST_TEST(weights->tensors()[0].name == "a_b__");
  BOOST_TEST(second.name == "a_b__-1");
  Bytes row(second.k / 32 * 18);
  BOOST_REQUIRE(weights->read_row(second, 0, row.data()));
  BOOST_TEST(std::equal(row.begin(), row.end(), model.tensors[1].data.begin()));
}

BOOST_AUTO_TEST_CASE(what_is_no_model_is_refused) {
  const ScratchFolder folder;
  const std::string path = folder.write("text.gguf", Bytes(100));
  const Ran ran = run_program({"run", "--weights", path, "--run", "kernel/*"});
  BOOST_TEST(ran.status == 2);
  BOOST_TEST(ran.err.find(path) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
