// Writes a model again in another type; see quantize_file.h.

#include "harness/quantize_file.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "reference/codec.h"
#include "reference/writer.h"

namespace gcts {
namespace {

constexpr uint64_t kPieceElements = 1 << 16;
constexpr uint64_t kCopyBytes = 1 << 20;
constexpr std::string_view kFileType = "general.file_type";
constexpr std::string_view kQuantizationVersion = "general.quantization_version";
constexpr uint32_t kCurrentQuantizationVersion = 2;  // GGUF document and ggml

struct FileTypeNumber {
  uint32_t type;
  uint32_t number;
};
constexpr FileTypeNumber kFileTypes[] = {
#define FILE_TYPE(type, number) {tensor::type, number},
#include "harness/file_types.inc"
#undef FILE_TYPE
};

uint64_t elements_of(const TensorView& tensor) {
  uint64_t elements = 1;
  for (uint64_t dim : tensor.dims) elements *= dim;
  return elements;
}

bool is_convertible(const TensorView& tensor, const TensorType& target) {
  const bool plain = tensor.type == tensor::f32 || tensor.type == tensor::f16 || tensor.type == tensor::bf16;
  return plain && tensor.dims[0] % target.block_elements == 0;
}

// The model as it will be, without tensor bytes: types and offsets are set.
File planned(const Reading& reading, const TensorType& target) {
  File out;
  out.layout = {kNewestVersion, reading.layout.order};
  for (const KeyValueView& pair : reading.metadata) {
    if (pair.key != kFileType) out.metadata.push_back({std::string(pair.key), pair.value.to_value()});
    else out.metadata.push_back({std::string(pair.key), Value::u32(0)});
  }
  const auto number = std::find_if(std::begin(kFileTypes), std::end(kFileTypes), [&](const FileTypeNumber& t) { return t.type == target.id; });
  if (number != std::end(kFileTypes)) out.set(kFileType, Value::u32(number->number));
  else std::erase_if(out.metadata, [](const KeyValue& pair) { return pair.key == kFileType; });
  if (target.block_elements > 1) out.set(kQuantizationVersion, Value::u32(kCurrentQuantizationVersion));
  uint64_t offset = 0;
  for (const TensorView& tensor : reading.tensors) {
    Tensor plan;
    plan.name = tensor.name;
    plan.dims.assign(tensor.dims.begin(), tensor.dims.begin() + tensor.rank);
    plan.type = is_convertible(tensor, target) ? target.id : tensor.type;
    plan.offset = offset;
    const TensorType& type = *find_tensor_type(plan.type);
    offset = align_up(offset + elements_of(tensor) / type.block_elements * type.block_bytes, out.alignment());
    out.tensors.push_back(std::move(plan));
  }
  return out;
}

bool write_at(int descriptor, uint64_t offset, const std::byte* data, size_t size) {
  while (size > 0) {
    const ssize_t n = pwrite(descriptor, data, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    offset += static_cast<uint64_t>(n);
    size -= static_cast<size_t>(n);
  }
  return true;
}

// The error made in one piece of a tensor.
struct PieceError {
  double squares = 0, signal = 0, largest = 0;
  uint64_t finite = 0;
};

PieceError error_of(std::span<const float> values, std::span<const float> read_back) {
  PieceError out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const double error = std::fabs(static_cast<double>(read_back[i]) - values[i]);
    out.squares += error * error;
    out.signal += static_cast<double>(values[i]) * values[i];
    out.largest = error > out.largest || std::isnan(error) ? error : out.largest;
    ++out.finite;
  }
  return out;
}

// Converts one tensor on all cores; pieces are independent.
class Conversion {
 public:
  Conversion(const MappedFile& in, ByteOrder order, int descriptor) : in_(in), order_(order), descriptor_(descriptor) {}

  // False if bytes could not be read or written.
  bool run(const TensorType& from, const TensorType& to, uint64_t begin, uint64_t out_begin, QuantizedTensor& told) {
    from_ = &from;
    to_ = &to;
    begin_ = begin;
    out_begin_ = out_begin;
    elements_ = told.elements;
    step_ = kPieceElements / to.block_elements * to.block_elements;
    errors_.assign((elements_ + step_ - 1) / step_, {});
    next_ = 0;
    failed_ = false;
    const uint64_t threads = std::clamp<uint64_t>(errors_.size(), 1, std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::thread> workers;
    for (uint64_t i = 1; i < threads; ++i) workers.emplace_back([this] { work(); });
    work();
    for (std::thread& worker : workers) worker.join();
    tell(told);
    return !failed_;
  }

 private:
  void work() {
    std::vector<std::byte> source(step_ * from_->block_bytes), blocks(step_ / to_->block_elements * to_->block_bytes);
    std::vector<float> values(step_), read_back(step_);
    for (uint64_t piece = next_++; piece < errors_.size() && !failed_; piece = next_++) {
      const uint64_t first = piece * step_, count = std::min(step_, elements_ - first);
      const size_t source_bytes = count * from_->block_bytes, block_count = count / to_->block_elements;
      if (in_.read_at(begin_ + first * from_->block_bytes, source.data(), source_bytes) != source_bytes) failed_ = true;
      if (order_ == ByteOrder::big) swap_fields(*from_->codec, source.data(), count);
      from_->codec->dequantize(source.data(), values.data(), count);
      to_->codec->quantize(values.data(), nullptr, blocks.data(), count);
      to_->codec->dequantize(blocks.data(), read_back.data(), count);
      errors_[piece] = error_of({values.data(), count}, {read_back.data(), count});
      if (order_ == ByteOrder::big) swap_fields(*to_->codec, blocks.data(), block_count);
      const uint64_t at = out_begin_ + first / to_->block_elements * to_->block_bytes;
      if (!write_at(descriptor_, at, blocks.data(), block_count * to_->block_bytes)) failed_ = true;
    }
  }

  void tell(QuantizedTensor& told) const {
    PieceError sum;
    for (const PieceError& piece : errors_) {  // in order: the sums do not depend on the threads
      sum.squares += piece.squares;
      sum.signal += piece.signal;
      sum.finite += piece.finite;
      sum.largest = piece.largest > sum.largest || std::isnan(piece.largest) ? piece.largest : sum.largest;
    }
    told.not_finite = elements_ - sum.finite;
    told.root_mean_square_error = sum.finite == 0 ? 0 : std::sqrt(sum.squares / static_cast<double>(sum.finite));
    told.signal_to_noise_db = sum.squares == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(sum.signal / sum.squares);
    told.largest_error = sum.largest;
  }

  const MappedFile& in_;
  const ByteOrder order_;
  const int descriptor_;
  const TensorType* from_ = nullptr;
  const TensorType* to_ = nullptr;
  uint64_t begin_ = 0, out_begin_ = 0, elements_ = 0, step_ = 0;
  std::vector<PieceError> errors_;
  std::atomic<uint64_t> next_{0};
  std::atomic<bool> failed_{false};
};

bool copy_bytes(const MappedFile& in, uint64_t from, uint64_t size, int descriptor, uint64_t to) {
  std::vector<std::byte> buffer(std::min(size, kCopyBytes));
  for (uint64_t at = 0; at < size; at += buffer.size()) {
    const size_t n = std::min<uint64_t>(buffer.size(), size - at);
    if (in.read_at(from + at, buffer.data(), n) != n || !write_at(descriptor, to + at, buffer.data(), n)) return false;
  }
  return true;
}

}  // namespace

bool quantize_file(const MappedFile& in, const Reading& reading, const TensorType& target, int descriptor,
                   const std::function<void(const QuantizedTensor&)>& told, std::string& error) {
  const File plan = planned(reading, target);
  const Bytes head = write_bytes(plan, {.pad_last_tensor = false});
  uint64_t end = head.size();
  bool good = write_at(descriptor, 0, head.data(), head.size());
  Conversion conversion(in, reading.layout.order, descriptor);
  for (size_t i = 0; i < reading.tensors.size() && good; ++i) {
    const TensorView& tensor = reading.tensors[i];
    QuantizedTensor result;
    result.name = tensor.name;
    result.from = find_tensor_type(tensor.type);
    result.to = find_tensor_type(plan.tensors[i].type);
    result.converted = is_convertible(tensor, target);
    result.elements = elements_of(tensor);
    const uint64_t begin = reading.data_start + tensor.offset, out_begin = head.size() + *plan.tensors[i].offset;
    good = result.converted ? conversion.run(*result.from, *result.to, begin, out_begin, result)
                            : copy_bytes(in, begin, tensor.size, descriptor, out_begin);
    end = out_begin + result.elements / result.to->block_elements * result.to->block_bytes;
    end = head.size() + align_up(end - head.size(), plan.alignment());
    if (good) told(result);
  }
  good = good && ftruncate(descriptor, static_cast<off_t>(end)) == 0;  // the padding of the last tensor
  if (!good) error = fmt::format("cannot be written or read to the end: {}", errno != 0 ? std::strerror(errno) : "the input is shorter than it was");
  return good;
}

}  // namespace gcts
