// Decoding of models.

#include "harness/worker/model.h"

namespace gcts::worker {
namespace {

gcts_string string_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

gcts_value Model::value(WireReader& in) {
  struct Open {  // an array whose elements are still to come
    std::vector<gcts_value>* elements;
    uint64_t count;
  };
  gcts_value root{};
  std::vector<Open> open;
  do {
    gcts_value v{};
    v.type = in.take<uint32_t>();
    v.element_type = in.take<uint32_t>();
    v.count = in.take<uint64_t>();
    v.bits = in.take<uint64_t>();
    std::vector<gcts_value>* elements = nullptr;
    if (v.type == GCTS_STRING) v.data = in.take_raw(v.count).data();
    if (v.type == GCTS_ARRAY && v.count > 0) {
      arrays_.emplace_back();
      elements = &arrays_.back();
      if (v.count > in.left()) return root;  // malformed: an element takes more than a byte
      elements->reserve(v.count);  // where it stays while it is filled
      v.data = elements->data();
    }
    if (open.empty()) {
      root = v;
    } else {
      open.back().elements->push_back(v);
    }
    if (elements) open.push_back({elements, v.count});
    while (!open.empty() && open.back().elements->size() == open.back().count) open.pop_back();
  } while (!open.empty() && in.ok());
  return root;
}

bool Model::decode(std::span<const uint8_t> encoded) {
  WireReader in(encoded);
  request_.version = in.take<uint32_t>();
  request_.big_endian = in.take<uint32_t>();
  request_.strategy = in.take<uint32_t>();
  request_.reserved = in.take<uint32_t>();
  request_.metadata_count = in.take<uint64_t>();
  request_.tensor_count = in.take<uint64_t>();
  for (uint64_t i = 0; i < request_.metadata_count && in.ok(); ++i) {
    const gcts_string key = string_of(in.take_text());
    metadata_.push_back({key, value(in)});
  }
  for (uint64_t i = 0; i < request_.tensor_count && in.ok(); ++i) {
    gcts_tensor tensor{};
    tensor.name = string_of(in.take_text());
    tensor.type = in.take<uint32_t>();
    tensor.rank = in.take<uint32_t>();
    for (uint64_t& dim : tensor.dims) dim = in.take<uint64_t>();
    const std::string_view data = in.take_text();
    tensor.data = data.data();
    tensor.size = data.size();
    tensors_.push_back(tensor);
  }
  request_.metadata = metadata_.data();
  request_.tensors = tensors_.data();
  return in.ok() && in.at_end();
}

}  // namespace gcts::worker
