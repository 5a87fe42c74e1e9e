// Recipes for files of other formats.

#include "corpus/models.h"
#include "corpus/recipe.h"

namespace gcts {
namespace {

using namespace std::string_view_literals;

// The head of another format in place of as many bytes of a GGUF file.
Fault head(std::string_view bytes) {
  return [bytes](Written& w) { overwrite(w, 0, bytes); };
}

struct Row {
  std::string_view suffix, bytes, comment;
};

}  // namespace

RECIPE(legacy_magic) {
  r.valid("gguf", two_tensors(), "a GGUF file");
  constexpr Row kRows[] = {
      {"ggml", "lmgg\x00\x01\x00\x00"sv, "the first format, without a version"},
      {"ggmf_1", "fmgg\x01\x00\x00\x00"sv, "ggmf, version 1"},
      {"ggjt_1", "tjgg\x01\x00\x00\x00"sv, "ggjt, version 1"},
      {"ggjt_3", "tjgg\x03\x00\x00\x00"sv, "ggjt, version 3: the version is one that GGUF has"},
      {"ggla_1", "algg\x01\x00\x00\x00"sv, "an adapter, version 1"},
      {"ggmf_3", "fmgg\x03\x00\x00\x00"sv, "ggmf over the body of a GGUF file"},
  };
  for (const Row& row : kRows) r.broken(row.suffix, "gguf", row.comment, head(row.bytes));
}

RECIPE(magic_lower_case) {
  r.valid("upper", two_tensors(), "a GGUF file");
  constexpr Row kRows[] = {
      {"gguf", "gguf", "the magic in lower case"},
      {"ggml", "ggml", "a predecessor's name as people write it"},
      {"ggmf", "ggmf", "a predecessor's name as people write it"},
      {"ggjt", "ggjt", "a predecessor's name as people write it"},
      {"ggla", "ggla", "a predecessor's name as people write it"},
  };
  for (const Row& row : kRows) r.broken(row.suffix, "upper", row.comment, head(row.bytes));
}

RECIPE(foreign_format) {
  r.valid("gguf", two_tensors(), "a GGUF file");
  constexpr Row kRows[] = {
      {"safetensors", "\x40\0\0\0\0\0\0\0{\"__metadata__\":{}}"sv,
       "the format that models are most often converted from"},
      {"zip", "PK\3\4\x14\0\0\0"sv, "a PyTorch checkpoint is a zip archive"},
      {"pickle", "\x80\2}q\0"sv, "an old PyTorch checkpoint: loading it runs its code"},
      {"onnx", "\x08\x07\x12\x07pytorch"sv, "an ONNX model"},
      {"png", "\x89PNG\r\n\x1a\n"sv, "an image from the model's page"},
      {"html", "<!DOCTYPE html><html>"sv, "an error page that a download saved"},
      {"git_lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:"sv,
       "a pointer that git left in place of the file"},
      {"gzip", "\x1f\x8b\x08\0"sv, "the file is still compressed"},
      {"json", "{\"error\":\"Entry not found\"}"sv, "the answer of a server that has no such file"},
  };
  for (const Row& row : kRows) r.broken(row.suffix, "gguf", row.comment, head(row.bytes));
}

}  // namespace gcts
