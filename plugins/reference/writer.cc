// Turns a write request into a model, encodes it, and refuses what its own reader
// would not take.

#include "plugins/reference/writer.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <span>

#include "plugins/reference/reader.h"
#include "reference/reader.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

std::string_view text(gcts_string s) { return {s.data, s.size}; }

// One value without the elements of an array.
bool shallow_value(const gcts_value& from, Value& to, std::string& why_not) {
  if (from.type >= kValueTypeCount) {
    why_not = "there is no value type " + std::to_string(from.type);
    return false;
  }
  to.type = static_cast<ValueType>(from.type);
  if (to.type == ValueType::string) {
    to.text.assign(static_cast<const char*>(from.data), from.count);
    return true;
  }
  if (to.type == ValueType::array) {
    if (from.element_type >= kValueTypeCount) {
      why_not = "there is no element type " + std::to_string(from.element_type);
      return false;
    }
    to.element_type = static_cast<ValueType>(from.element_type);
    to.elements.resize(from.count);
    return true;
  }
  const uint32_t width = to.type == ValueType::boolean ? 1 : 8 * scalar_bytes(to.type);
  if (width < 64 && from.bits >> width != 0) {
    why_not = "a value does not fit its type, " + std::string(value_type_name(to.type));
    return false;
  }
  to.bits = from.bits;
  return true;
}

// A value of any nesting.  Arrays wait on a list, so depth costs no stack.
bool value_of(const gcts_value& root, Value& out, std::string& why_not) {
  struct Open {
    const gcts_value* from;
    Value* to;
  };
  if (!shallow_value(root, out, why_not)) return false;
  std::vector<Open> open;
  if (out.type == ValueType::array) open.push_back({&root, &out});
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    const auto* elements = static_cast<const gcts_value*>(from->data);
    for (uint64_t i = 0; i < from->count; ++i) {
      if (elements[i].type != from->element_type) {
        why_not = "an array holds an element of another type";
        return false;
      }
      if (!shallow_value(elements[i], to->elements[i], why_not)) return false;
      if (to->element_type == ValueType::array) open.push_back({&elements[i], &to->elements[i]});
    }
  }
  return true;
}

// Bytes that a tensor of this type and shape has; nothing if there is no such tensor.
std::optional<uint64_t> tensor_bytes(const gcts_tensor& tensor) {
  const TensorType* type = find_tensor_type(tensor.type);
  if (!type || type->block_elements == 0 || tensor.rank > kMaxRank) return std::nullopt;
  const uint64_t row = tensor.rank > 0 ? tensor.dims[0] : 1;
  uint64_t size = 0;
  if (row % type->block_elements != 0) return std::nullopt;
  if (__builtin_mul_overflow(row / type->block_elements, uint64_t{type->block_bytes}, &size)) return std::nullopt;
  for (uint32_t i = 1; i < tensor.rank; ++i)
    if (__builtin_mul_overflow(size, tensor.dims[i], &size)) return std::nullopt;
  return size;
}

bool tensor_of(const gcts_tensor& from, Tensor& to, std::string& why_not) {
  to.name = text(from.name);
  to.type = from.type;
  if (tensor_bytes(from) != from.size) {
    why_not = "tensor " + to.name + ": type, dimensions and bytes do not agree";
    return false;
  }
  to.dims.assign(from.dims, from.dims + from.rank);
  const auto* data = static_cast<const std::byte*>(from.data);
  to.data.assign(data, data + from.size);
  return true;
}

bool put_range(const Written& written, uint64_t begin, uint64_t end, const gcts_output& output) {
  constexpr uint64_t kPiece = 1 << 16;
  for (uint64_t at = begin; at < end; at += kPiece) {
    const auto size = static_cast<size_t>(std::min(kPiece, end - at));
    if (output.write_at(output.context, at, written.bytes.data() + at, size) != 0) return false;
  }
  return true;
}

// Where the bytes that are not metadata begin.
uint64_t metadata_end(const Written& written) {
  for (const Field& field : written.fields)
    if (field.kind == FieldKind::padding || field.kind == FieldKind::tensor_data) return field.offset;
  return written.bytes.size();
}

}  // namespace

bool model_of(const gcts_write_request& request, File& model, std::string& why_not) {
  model.layout = {request.version, request.big_endian ? ByteOrder::big : ByteOrder::little};
  model.metadata.resize(request.metadata_count);
  for (uint64_t i = 0; i < request.metadata_count; ++i) {
    model.metadata[i].key = text(request.metadata[i].key);
    if (!value_of(request.metadata[i].value, model.metadata[i].value, why_not)) {
      why_not = model.metadata[i].key + ": " + why_not;
      return false;
    }
  }
  model.tensors.resize(request.tensor_count);
  for (uint64_t i = 0; i < request.tensor_count; ++i)
    if (!tensor_of(request.tensors[i], model.tensors[i], why_not)) return false;
  return true;
}

bool is_refusal(const Finding& finding) {
  return finding.rule == rule::key_unique || finding.rule == rule::tensor_name_unique ||
         chosen_profile().severity(finding.rule) == Severity::must;
}

// The order is that of a program which has the metadata, or the data, first; the
// bytes are the same.
bool put(const Written& written, WriteStrategy strategy, const gcts_output& output) {
  const uint64_t end = written.bytes.size();
  const uint64_t data = metadata_end(written);
  if (strategy == WriteStrategy::whole) return put_range(written, 0, end, output);
  if (strategy == WriteStrategy::metadata_first)
    return put_range(written, 0, data, output) && put_range(written, data, end, output);
  return put_range(written, data, end, output) && put_range(written, 0, data, output);
}

gcts_status reference_write(const gcts_write_request* request, const gcts_output* output) noexcept try {
  File model;
  std::string why_not;
  const auto strategy = static_cast<WriteStrategy>(request->strategy);
  if (!model_of(*request, model, why_not)) {
    output->message(output->context, why_not.c_str());
    return GCTS_REJECTED;
  }
  const Written written = write(model, {.strategy = strategy});
  const Reading reading = read(written.bytes);
  for (const Finding& finding : reading.findings.all()) {
    if (!is_refusal(finding)) continue;
    output->message(output->context, explain(finding).c_str());
    return GCTS_REJECTED;
  }
  if (put(written, strategy, *output)) return GCTS_OK;
  output->message(output->context, "the output refused bytes");
  return GCTS_FAILED;
} catch (const std::exception& failure) {
  output->message(output->context, failure.what());
  return GCTS_FAILED;
}

}  // namespace gcts
