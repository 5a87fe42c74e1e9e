// Encoding of models; worker/model.cc decodes.

#include "harness/model.h"

#include "harness/worker/wire.h"

namespace gcts {
namespace {

void put_value(worker::WireWriter& out, const Value& root) {
  std::vector<const Value*> due{&root};
  while (!due.empty()) {
    const Value& value = *due.back();
    due.pop_back();
    const bool array = value.type == ValueType::array;
    const bool string = value.type == ValueType::string;
    out.put(static_cast<uint32_t>(value.type));
    out.put(static_cast<uint32_t>(array ? value.element_type : ValueType::uint8));
    out.put<uint64_t>(array ? value.elements.size() : string ? value.text.size() : 1);
    out.put<uint64_t>(value.bits);
    if (string) out.put_raw(value.text);
    if (array) {
      for (size_t i = value.elements.size(); i-- > 0;) due.push_back(&value.elements[i]);
    }
  }
}

}  // namespace

std::vector<uint8_t> encode_model(const File& model, WriteStrategy strategy) {
  worker::WireWriter out;
  out.put<uint32_t>(model.layout.version);
  out.put<uint32_t>(model.layout.order == ByteOrder::big);
  out.put(static_cast<uint32_t>(strategy));
  out.put<uint32_t>(0);
  out.put<uint64_t>(model.metadata.size());
  out.put<uint64_t>(model.tensors.size());
  for (const KeyValue& pair : model.metadata) {
    out.put_text(pair.key);
    put_value(out, pair.value);
  }
  for (const Tensor& tensor : model.tensors) {
    out.put_text(tensor.name);
    out.put(tensor.type);
    out.put(static_cast<uint32_t>(tensor.dims.size()));
    for (size_t d = 0; d < 4; ++d) out.put<uint64_t>(d < tensor.dims.size() ? tensor.dims[d] : 1);
    out.put_text({reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()});
  }
  return out.bytes();
}

}  // namespace gcts
