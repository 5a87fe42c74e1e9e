// Foreign formats are named, GGUF and noise are not.

#include "reference/legacy.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace gcts {
namespace {

using namespace std::string_literals;

std::string_view recognise(const std::string& head) {
  return recognise_foreign(std::as_bytes(std::span(head)));
}

bool names(const std::string& head, std::string_view word) {
  return recognise(head).find(word) != std::string_view::npos;
}

BOOST_AUTO_TEST_SUITE(legacy)

BOOST_AUTO_TEST_CASE(predecessors_in_both_spellings) {
  for (const std::string name : {"ggml", "ggmf", "ggjt", "ggla"}) {
    const std::string reversed(name.rbegin(), name.rend());
    BOOST_TEST(names(name + "\1\0\0\0"s, name));
    BOOST_TEST(names(reversed + "\1\0\0\0"s, name));
  }
  BOOST_TEST(names("FUGG\0\0\0\3"s, "reversed"));
}

BOOST_AUTO_TEST_CASE(other_model_formats) {
  BOOST_TEST(names("\x40\0\0\0\0\0\0\0{\"__metadata__\""s, "safetensors"));
  BOOST_TEST(names("\x08\x07\x12\x07pytorch"s, "ONNX"));
  BOOST_TEST(names("PK\3\4\0\0"s, "PyTorch"));
  BOOST_TEST(names("\x80\2}q\0"s, "pickle"));
  BOOST_TEST(names("\x1c\0\0\0TFL3"s, "TensorFlow"));
  BOOST_TEST(names("version https://git-lfs.github.com/spec/v1\n", "LFS"));
}

BOOST_AUTO_TEST_CASE(files_passed_by_accident) {
  BOOST_TEST(names("\x89PNG\r\n\x1a\n", "PNG"));
  BOOST_TEST(names("<!DOCTYPE html><html>", "HTML"));
  BOOST_TEST(names("{\"error\":\"not found\"}", "JSON"));
  BOOST_TEST(names(std::string(257, 'a') + "ustar", "tar"));
}

BOOST_AUTO_TEST_CASE(gguf_and_noise_are_not_foreign) {
  for (const std::string& head :
       {""s, "G"s, "GGUF"s, "GGUF\3\0\0\0"s, "ABCD"s, std::string(16, '\0'), std::string(600, 'x')})
    BOOST_TEST(recognise(head) == "");
}

// A head may end anywhere.
BOOST_AUTO_TEST_CASE(every_prefix_is_taken) {
  const std::string head = "\x40\0\0\0\0\0\0\0{\"__metadata__\""s;
  for (size_t n = 0; n <= head.size(); ++n) BOOST_TEST(recognise(head.substr(0, n)).empty() == (n < 10));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
