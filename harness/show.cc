// The verb show: what a file holds, for people and as JSON.

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/check_result.h"
#include "harness/mapped_file.h"
#include "harness/model_size.h"
#include "harness/options.h"
#include "harness/value_text.h"
#include "reference/tensor_type.h"
#include "reports/escape.h"

namespace gcts {
namespace {

// Standard output in pieces; what a reader downstream refuses is not written again.
class Output {
 public:
  ~Output() { flush(); }
  void operator()(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() > 1 << 16) flush();
  }
  void flush() {
    std::fwrite(buffer_.data(), 1, buffer_.size(), stdout);
    std::fflush(stdout);
    buffer_.clear();
  }

 private:
  std::string buffer_;
};

std::string_view order_name(ByteOrder order) { return order == ByteOrder::little ? "little" : "big"; }

std::string type_name(uint32_t id) {
  const TensorType* type = find_tensor_type(id);
  return type != nullptr ? std::string(type->name) : fmt::format("unknown:{}", id);
}

// `"name":"…"`, and `"name_hex":"…"` too where the text is not UTF-8.
std::string named_json(std::string_view field, std::string_view text) {
  std::string out = fmt::format("\"{}\":{}", field, json_string(text));
  if (!is_utf8(text)) out += fmt::format(",\"{}_hex\":\"{}\"", field, hex(text));
  return out;
}

void show_json(const Reading& reading, Output& out) {
  out(fmt::format("{{\"version\":{},\"endianness\":\"{}\",\"alignment\":{},\"metadata\":[", reading.layout.version,
                  order_name(reading.layout.order), reading.alignment));
  bool first = true;
  for (const KeyValueView& pair : reading.metadata) {
    out(first ? "\n{" : ",\n{");
    first = false;
    out(named_json("key", pair.key));
    out(fmt::format(",\"type\":\"{}\"", value_type_name(pair.value.type)));
    if (pair.value.type == ValueType::array) out(fmt::format(",\"element_type\":\"{}\"", value_type_name(pair.value.element_type)));
    out(",\"value\":");
    value_json(pair.value, [&](std::string_view piece) { out(piece); });
    out("}");
  }
  out("],\n\"tensors\":[");
  first = true;
  for (const TensorView& tensor : reading.tensors) {
    out(first ? "\n{" : ",\n{");
    first = false;
    out(named_json("name", tensor.name));
    out(fmt::format(",\"type\":\"{}\",\"dims\":[", type_name(tensor.type)));
    for (uint32_t i = 0; i < tensor.rank && i < kMaxRank; ++i) out(fmt::format("{}{}", i == 0 ? "" : ",", tensor.dims[i]));
    out(fmt::format("],\"offset\":{},\"size\":{}}}", tensor.offset, tensor.sized ? fmt::format("{}", tensor.size) : "null"));
  }
  out("]}\n");
}

std::string dims_text(const TensorView& tensor) {
  std::string out;
  for (uint32_t i = 0; i < tensor.rank && i < kMaxRank; ++i) out += fmt::format("{}{}", i == 0 ? "" : " x ", tensor.dims[i]);
  return out.empty() ? "scalar" : out;
}

void show_metadata(const Reading& reading, Output& out) {
  out(fmt::format("\nmetadata ({})\n", reading.metadata.size()));
  size_t width = 0;
  for (const KeyValueView& pair : reading.metadata) width = std::max(width, std::min<size_t>(pair.key.size(), 48));
  for (const KeyValueView& pair : reading.metadata) {
    out(fmt::format("  {:<{}}  {:<14}  {}\n", escape_terminal(pair.key), width, value_type_text(pair.value), value_line(pair.value)));
  }
}

void show_tensors(const Reading& reading, Output& out) {
  out(fmt::format("\ntensors ({})\n", reading.tensors.size()));
  size_t width = 0;
  for (const TensorView& tensor : reading.tensors) width = std::max(width, std::min<size_t>(tensor.name.size(), 48));
  for (const TensorView& tensor : reading.tensors) {
    out(fmt::format("  {:<{}}  {:<8}  {:>24}  at {:>12}  {:>9}\n", escape_terminal(tensor.name), width, type_name(tensor.type),
                    dims_text(tensor), tensor.offset,
                    tensor.sized ? short_number(static_cast<double>(tensor.size), "B") : "size?"));
  }
}

void show_sizes(const Reading& reading, uint64_t context, Output& out) {
  const Reading* const shards[] = {&reading};
  const ModelSize size = model_size(shards);
  out("\nsizes\n");
  out(fmt::format("  parameters       {}  ({})\n", short_number(static_cast<double>(size.parameters)), size.parameters));
  if (size.parameters > 0) out(fmt::format("  bits per weight  {:.3f}\n", size.bits_per_weight()));
  for (const auto& [name, share] : size.by_type) {
    out(fmt::format("  {:<15}  {:>9} in {} tensor{}, {:.1f} % of the bytes\n", name, short_number(static_cast<double>(share.bytes), "B"),
                    share.tensors, share.tensors == 1 ? "" : "s",
                    size.bytes == 0 ? 0.0 : 100.0 * static_cast<double>(share.bytes) / static_cast<double>(size.bytes)));
  }
  if (size.unsized > 0) out(fmt::format("  {} tensors are of unknown size\n", size.unsized));
  out(fmt::format("  memory to map    {}: {} of metadata, {} of tensors\n", short_number(static_cast<double>(reading.file_size), "B"),
                  short_number(static_cast<double>(reading.metadata_end), "B"), short_number(static_cast<double>(size.bytes), "B")));
  std::string missing;
  if (const auto cache = kv_cache(reading, context, missing)) {
    out(fmt::format("  KV cache         {} as f16 for a context of {} ({} blocks, no sliding window)\n",
                    short_number(static_cast<double>(cache->bytes), "B"), cache->context, cache->blocks));
  } else {
    out(fmt::format("  KV cache         unknown: the metadata have no usable {}\n", escape_terminal(missing)));
  }
}

void show_text(const std::string& name, const Reading& reading, uint64_t context, Output& out) {
  out(fmt::format("{}\nGGUF version {}, {}-endian, alignment {}, {}\n", escape_terminal(name), reading.layout.version,
                  order_name(reading.layout.order), reading.alignment, short_number(static_cast<double>(reading.file_size), "B")));
  show_metadata(reading, out);
  if (!reading.tensors.empty()) show_tensors(reading, out);
  show_sizes(reading, context, out);
}

// What keeps the file from being shown as a whole, on standard error.
void complain(const std::string& name, const Reading& reading) {
  const Profile profile = Profile::builtin(BuiltinProfile::ggml);
  for (const Finding& finding : reading.findings.all()) {
    if (profile.severity(finding.rule) != Severity::must) continue;
    std::cerr << fmt::format("{}: byte {}: {} {}: {}\n", escape_terminal(name), finding.offset, rule_at(finding.rule).id,
                             rule_at(finding.rule).name, escape_terminal(finding.message));
  }
}

}  // namespace

int verb_show(int argc, char** argv) {
  std::vector<std::string> files;
  bool json = false;
  uint64_t context = 0;
  Options options("show", "FILE [--json] [--context N]", "Shows what a GGUF file holds: header, metadata, tensors, sizes, memory.");
  options.flag("json", json, "one object: version, endianness, alignment, metadata, tensors");
  options.number("context", context, "N", "size of the KV cache for this many positions (the model's own context length)");
  options.positional("FILE", files, "the file; - is standard input", 1, 1);
  options.note(
      "JSON: metadata is an array of {key, type, value} in file order, with element_type for arrays; tensors are\n"
      "{name, type, dims, offset, size}, offset counted from the start of the tensor data, innermost dimension first.\n"
      "64-bit integers keep all digits. Floats that JSON lacks are \"inf\", \"-inf\" and \"nan:BITS\"; strings that are\n"
      "not UTF-8 are {\"hex\": ...}; an array in an array is {element_type, value}.\n"
      "Ends 0 if all of the metadata could be read and profile ggml or spec accepts them, 1 if not (what could be read\n"
      "is shown), 2 if the file cannot be opened.");
  if (const auto status = options.parse(argc, argv)) return *status;

  Reading reading;
  std::unique_ptr<MappedFile> file;
  if (files[0] == "-") {
    // Only as far as the metadata reach; the size follows from the tensors.
    reading = read([](std::byte* buffer, size_t size) { return std::fread(buffer, 1, std::min<size_t>(size, 1 << 16), stdin); },
                   {Stage::metadata, false});
    reading.file_size = reading.metadata_end;
    for (const TensorView& tensor : reading.tensors) {
      const uint64_t begin = reading.data_start + tensor.offset;  // a sum that wraps is smaller, and passed over
      reading.file_size = std::max(reading.file_size, begin + tensor.size);
    }
  } else {
    std::string error;
    file = MappedFile::open(files[0], error);
    if (file == nullptr) {
      std::cerr << "gguf-cts show: " << escape_terminal(files[0]) << ": " << error << '\n';
      return kUsageError;
    }
    reading = read(file->bytes());
  }
  {
    Output out;
    const bool nothing = !reading.complete && reading.metadata.empty() && reading.tensors.empty();
    if (json) show_json(reading, out);
    else if (!nothing) show_text(files[0], reading, context, out);
  }
  if (is_usable(reading)) return 0;
  complain(files[0], reading);
  return 1;
}

}  // namespace gcts
