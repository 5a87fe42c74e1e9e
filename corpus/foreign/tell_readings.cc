// Tells what the reference reads from each of the inputs on standard input, so that the
// texts of two machines can be compared: contents, findings, verdicts, the file written
// anew, the tensors decoded.
//
// Bytes and numbers are told by a digest of their values, which has no byte order.

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "corpus/foreign/inputs.h"
#include "reference/codec.h"
#include "reference/quote.h"
#include "reference/reader.h"
#include "reference/tensor_type.h"
#include "reference/writer.h"

using namespace gcts;

namespace {

class Digest {
 public:
  void number(uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3, hash_ ^= hash_ >> 29; }
  template <class Range>
  void all(const Range& bytes) {
    number(bytes.size());
    for (const auto byte : bytes) number(static_cast<uint8_t>(byte));
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

// Arrays nest to any depth: those still to be told lie on a list.
uint64_t digest(const Value& root) {
  Digest out;
  std::vector<const Value*> due{&root};
  while (!due.empty()) {
    const Value& value = *due.back();
    due.pop_back();
    out.number(static_cast<uint64_t>(value.type));
    out.number(value.bits);
    out.all(value.text);
    out.number(static_cast<uint64_t>(value.element_type));
    out.number(value.elements.size());
    for (const Value& element : value.elements) due.push_back(&element);
  }
  return out.value();
}

// What a NaN's sign and payload are is the processor's.
uint64_t decoded(const TensorView& tensor, ByteOrder order) {
  const TensorType& type = *find_tensor_type(tensor.type);
  const uint64_t blocks = tensor.size / type.block_bytes;
  std::vector<std::byte> bytes(tensor.data.begin(), tensor.data.end());
  if (order == ByteOrder::big) swap_fields(*type.codec, bytes.data(), blocks);
  std::vector<float> values(blocks * type.block_elements);
  type.codec->dequantize(bytes.data(), values.data(), values.size());
  Digest out;
  for (const float value : values) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    out.number(std::isnan(value) ? 0x7fc00000 : bits);
  }
  out.number(type.codec->scan(bytes.data(), blocks, true));
  return out.value();
}

void tell(const Reading& r) {
  fmt::print(" version {} {} {} tensors {} pairs {} alignment {} ends {} {} {} complete {}\n", r.layout.version,
             r.layout.order == ByteOrder::big ? "big" : "little", r.tensor_count, r.metadata_count, r.tensors.size(),
             r.alignment, r.metadata_end, r.data_start, r.file_size, r.complete);
  for (const KeyValueView& pair : r.metadata)
    fmt::print("  {} {} at {}: {} of {}, {:016x}\n", quote(pair.key), value_type_name(pair.value.type), pair.offset,
               pair.value.count, value_type_name(pair.value.element_type), digest(pair.value.to_value()));
  for (const TensorView& t : r.tensors) {
    fmt::print("  {} {} at {}: {} {} {} {} {}, {} + {} {}", quote(t.name), t.type, t.info_offset, t.rank, t.dims[0], t.dims[1],
               t.dims[2], t.dims[3], t.offset, t.size, t.sized);
    if (!t.data.empty()) fmt::print(", {:016x}", decoded(t, r.layout.order));
    fmt::print("\n");
  }
  for (const Finding& f : r.findings.all())
    fmt::print("  {}{} at {}: {}\n", f.root ? "! " : "", rule_at(f.rule).name, f.offset, f.message);
}

Reading in_chunks(const Bytes& file, Stage stage) {
  size_t at = 0;
  const ChunkSource source = [&](std::byte* buffer, size_t size) {
    const size_t n = std::min({size, size_t{7}, file.size() - at});
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(at), n, buffer);
    at += n;
    return n;
  };
  return read(source, {.stage = stage});
}

}  // namespace

int main() {
  const Profile spec = Profile::builtin(BuiltinProfile::spec), ggml = Profile::builtin(BuiltinProfile::ggml);
  Bytes input;
  uint64_t count = 0;
  for (; get_input(stdin, input); ++count) {
    const Reading reading = read(input);
    fmt::print("input {}: spec {}, ggml {}\n", count, verdict_name(judge(reading.findings, spec)),
               verdict_name(judge(reading.findings, ggml)));
    tell(reading);
    fmt::print(" in chunks: {} findings, {} pairs, {} tensors\n", in_chunks(input, Stage::data).findings.all().size(),
               in_chunks(input, Stage::metadata).metadata.size(), in_chunks(input, Stage::metadata).tensors.size());
    if (!reading.complete) continue;
    const Bytes written = write_bytes(to_file(reading));
    Digest out;
    out.all(written);
    fmt::print(" written: {} bytes, {:016x}\n", written.size(), out.value());
  }
  fmt::print("{} inputs\n", count);
  return count > 0 ? 0 : 2;
}
