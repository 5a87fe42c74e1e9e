// The questions of the known-answer documents: blocks to decode, inputs to encode.
//
// They follow from the description of a type's fields alone, so that a type added to
// the table has them without further work.

#ifndef GCTS_CORPUS_VECTOR_TESTS_H_
#define GCTS_CORPUS_VECTOR_TESTS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reference/tensor_type.h"

namespace gcts {

struct BlockTest {
  std::string comment;
  std::vector<std::string_view> flags;
  std::vector<std::byte> blocks;
};

struct InputTest {
  std::string comment;
  std::vector<std::string_view> flags;
  std::vector<float> input;
};

std::vector<BlockTest> block_tests(const TensorType& type);
// Empty for a type without a quantizer.
std::vector<InputTest> input_tests(const TensorType& type);

}  // namespace gcts

#endif  // GCTS_CORPUS_VECTOR_TESTS_H_
