// Finds the bits of codes and sub-scales by flipping them.
#include "reference/block_bits.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "reference/codec.h"
#include "reference/draws.h"
#include "reference/terms.h"

namespace gcts {
namespace {

bool is_payload(const BlockField& field) {
  return field.role == FieldRole::code || field.role == FieldRole::subscale;
}

// The bits of a block that are not scales, mins or sums.
std::vector<uint32_t> payload_bits(const TensorType& type) {
  std::vector<uint32_t> bits;
  for (const BlockField& field : type.codec->fields) {
    // IQ1_M keeps sub-scales beside its spread scale.
    const bool spread = field.role == FieldRole::scale && field.format == NumberFormat::u16;
    if (!is_payload(field) && !spread) continue;
    for (uint32_t bit = 0; bit < field.count * number_bytes(field.format) * 8; ++bit) {
      if (!spread || bit % 16 < 12) bits.push_back(field.offset * 8 + bit);
    }
  }
  return bits;
}

void flip(std::byte* block, uint32_t bit) { block[bit / 8] ^= static_cast<std::byte>(1 << bit % 8); }

void insert(std::vector<uint32_t>& bits, uint32_t bit) {
  const auto at = std::lower_bound(bits.begin(), bits.end(), bit);
  if (at == bits.end() || *at != bit) bits.insert(at, bit);
}

void erase(std::vector<uint32_t>& bits, uint32_t bit) {
  const auto at = std::lower_bound(bits.begin(), bits.end(), bit);
  if (at != bits.end() && *at == bit) bits.erase(at);
}

// A block with scales and mins of 1.
std::vector<std::byte> base_block(const TensorType& type, Generator& g) {
  std::vector<std::byte> block(type.block_bytes);
  draws::random_block(type, block.data(), g, {0, 0});
  for (uint32_t i = 0; i < scale_count(type); ++i) set_scale(type, block.data(), i, scale_bits(type, 0));
  set_min(type, block.data(), 0x3c00);
  return block;
}

}  // namespace

void BlockBits::write(std::byte* block, const Bits& bits, uint32_t number) {
  for (const uint32_t bit : bits) {
    const auto mask = static_cast<std::byte>(1 << bit % 8);
    block[bit / 8] = (number & 1) != 0 ? block[bit / 8] | mask : block[bit / 8] & ~mask;
    number >>= 1;
  }
}

void BlockBits::find_bits(const TensorType& type) {
  const uint32_t run = run_elements(type);
  std::vector<bool> shared(size_t{type.block_bytes} * 8);
  // A code of a run whose step is 0 does not show, nor the sign of a zero: several bases.
  for (uint64_t base = 0; base < 8; ++base) {
    Generator g = Generator(0, type.name).stream(base);
    std::vector<std::byte> block = base_block(type, g);
    const RowTerms before = row_terms(type, block.data(), type.block_elements);
    for (const uint32_t bit : payload_bits(type)) {
      flip(block.data(), bit);
      const RowTerms after = row_terms(type, block.data(), type.block_elements);
      flip(block.data(), bit);
      size_t changed = 0, element = 0;
      for (size_t i = 0; i < type.block_elements; ++i) {
        if (after.step[i] != before.step[i]) {
          insert(scales_[i / run].bits, bit);
        } else if (after.code[i] != before.code[i]) {
          ++changed;
          element = i;
        }
        if (!before.offset.empty() && after.offset[i] != before.offset[i]) insert(mins_[i / run].bits, bit);
      }
      if (changed > 1) shared[bit] = true;
      if (changed == 1) insert(codes_[element], bit);
    }
  }
  for (uint32_t bit = 0; bit < shared.size(); ++bit) {
    // An element with one shared bit is not free to take any code.
    if (!shared[bit]) continue;
    for (Bits& code : codes_) {
      const size_t width = code.size();
      erase(code, bit);
      if (code.size() != width) code.clear();
    }
  }
}

void BlockBits::find_small(const TensorType& type, Field& field, size_t element, bool is_min) {
  if (field.bits.empty() || field.bits.size() > 8) return;
  Generator g(0, type.name);
  std::vector<std::byte> block = base_block(type, g);
  std::vector<double> values;
  double least = HUGE_VAL;
  for (uint32_t number = 0; number < 1u << field.bits.size(); ++number) {
    write(block.data(), field.bits, number);
    const RowTerms terms = row_terms(type, block.data(), type.block_elements);
    values.push_back(std::fabs(is_min ? terms.offset[element] : terms.step[element]));
    if (values.back() != 0) least = std::min(least, values.back());
  }
  for (uint32_t number = 0; number < values.size(); ++number) {
    if (values[number] >= least && values[number] <= 3 * least) field.small.push_back(number);
  }
}

BlockBits::BlockBits(const TensorType& type)
    : codes_(type.block_elements), code_runs_(type.block_elements), scales_(type.block_elements / run_elements(type)), mins_(scales_.size()) {
  if (!has_scales(type)) return;
  find_bits(type);
  for (size_t element = 0; element < codes_.size(); ++element) {
    const Bits& bits = codes_[element];
    if (bits.empty() || bits.front() / 8 != bits.back() / 8 || bits.back() - bits.front() + 1 != bits.size()) continue;
    code_runs_[element] = {bits.front() / 8, static_cast<uint8_t>(bits.front() % 8), static_cast<uint8_t>(bits.size())};
  }
  for (size_t run = 0; run < scales_.size(); ++run) {
    find_small(type, scales_[run], run * run_elements(type), false);
    find_small(type, mins_[run], run * run_elements(type), true);
  }
}

const BlockBits& BlockBits::of(const TensorType& type) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<BlockBits>> known(tensor_types().size());
  const std::lock_guard lock(mutex);
  std::unique_ptr<BlockBits>& bits = known[type.id];
  if (bits == nullptr) bits.reset(new BlockBits(type));
  return *bits;
}

void BlockBits::set_code(std::byte* block, size_t element, uint32_t number) const {
  const Run& run = code_runs_[element];
  if (run.width == 0) return write(block, codes_[element], number);
  const uint32_t mask = ((1u << run.width) - 1) << run.shift;
  const auto byte = std::to_integer<uint32_t>(block[run.byte]);
  block[run.byte] = static_cast<std::byte>((byte & ~mask) | (number << run.shift & mask));
}

void BlockBits::set_small_steps(std::byte* block, Generator& g) const {
  for (const std::vector<Field>* fields : {&scales_, &mins_}) {
    for (const Field& field : *fields) {
      if (!field.small.empty()) write(block, field.bits, field.small[g.below(field.small.size())]);
    }
  }
}

}  // namespace gcts
