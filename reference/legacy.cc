// The signatures of the formats that people pass to GGUF readers by mistake.

#include "reference/legacy.h"

#include <cstdint>

namespace gcts {
namespace {

using namespace std::string_view_literals;

struct Signature {
  size_t offset;
  std::string_view bytes;
  std::string_view name;
};

// GGUF's predecessors wrote their magic as a uint32, so that in files of
// little-endian machines the four letters stand in reverse.
constexpr Signature kSignatures[] = {
    {0, "lmgg", "an unversioned ggml model, a predecessor of GGUF"},
    {0, "ggml", "an unversioned ggml model (big-endian), a predecessor of GGUF"},
    {0, "fmgg", "a ggmf model, a predecessor of GGUF"},
    {0, "ggmf", "a ggmf model (big-endian), a predecessor of GGUF"},
    {0, "tjgg", "a ggjt model, a predecessor of GGUF"},
    {0, "ggjt", "a ggjt model (big-endian), a predecessor of GGUF"},
    {0, "algg", "a ggla adapter, a predecessor of GGUF"},
    {0, "ggla", "a ggla adapter (big-endian), a predecessor of GGUF"},
    {0, "FUGG", "GGUF with its magic reversed, which no version of the format allows"},
    {0, "gguf", "GGUF with a magic in lower case, which no version of the format allows"},
    {0, "PK\3\4", "a zip archive, such as a PyTorch checkpoint"},
    {0, "\x80\2", "a Python pickle, such as an old PyTorch checkpoint"},
    {0, "\x80\3", "a Python pickle, such as an old PyTorch checkpoint"},
    {0, "\x80\4", "a Python pickle, such as an old PyTorch checkpoint"},
    {0, "\x80\5", "a Python pickle, such as an old PyTorch checkpoint"},
    {0, "\x89HDF\r\n\x1a\n", "an HDF5 file, such as a Keras model"},
    {0, "\x93NUMPY", "a NumPy array"},
    {4, "TFL3", "a TensorFlow Lite model"},
    {0, "version https://git-lfs", "a Git LFS pointer: the file itself has not been fetched"},
    {0, "\x89PNG\r\n\x1a\n", "a PNG image"},
    {0, "\xff\xd8\xff", "a JPEG image"},
    {0, "GIF8", "a GIF image"},
    {0, "%PDF-", "a PDF document"},
    {0,
     "\x7f"
     "ELF",
     "an ELF program or library"},
    {0, "\x1f\x8b", "a gzip archive"},
    {0, "\x28\xb5\x2f\xfd", "a Zstandard archive"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "an xz archive"},
    {0, "BZh", "a bzip2 archive"},
    {257, "ustar", "a tar archive"},
    {0, "<!DOCTYPE", "an HTML page, perhaps an error page saved by a download"},
    {0, "<!doctype", "an HTML page, perhaps an error page saved by a download"},
    {0, "<html", "an HTML page, perhaps an error page saved by a download"},
    {0, "{", "a JSON file"},
};

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// safetensors: the size of a JSON header as a little-endian uint64, then the header,
// whose size is bounded by 100 MB in the format's own reader.
bool is_safetensors(std::string_view head) {
  if (head.size() < 10 || head[8] != '{') return false;
  uint64_t size = 0;
  for (int i = 0; i < 8; ++i) size |= static_cast<uint64_t>(static_cast<uint8_t>(head[i])) << (8 * i);
  return size >= 2 && size <= 100'000'000 && (head[9] == '"' || head[9] == '}' || head[9] == ' ');
}

// ONNX: a protobuf message that begins with ir_version (field 1, a small varint) and
// goes on with producer_name (2), domain (4), graph (7) or opset_import (8), all of
// them length-delimited.
bool is_onnx(std::string_view head) {
  if (head.size() < 4 || head[0] != 0x08 || head[1] < 1 || head[1] > 32) return false;
  const char tag = head[2];
  return tag == 0x12 || tag == 0x22 || tag == 0x3a || tag == 0x42;
}

}  // namespace

std::string_view recognise_foreign(std::span<const std::byte> head) {
  const std::string_view bytes = text(head);
  if (is_safetensors(bytes)) return "a safetensors file";
  if (is_onnx(bytes)) return "an ONNX model";
  for (const Signature& signature : kSignatures)
    if (bytes.size() >= signature.offset && bytes.substr(signature.offset).starts_with(signature.bytes))
      return signature.name;
  return {};
}

}  // namespace gcts
