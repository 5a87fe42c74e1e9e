// The table of patterns, the draws by name, and coverage.
#include "reference/operands.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "reference/activations.h"
#include "reference/draws.h"
#include "reference/terms.h"

namespace gcts {
namespace {

constexpr Pattern kPatterns[] = {
#define PATTERN(name, mode, what) {#name, PatternMode::mode, what},
#include "reference/patterns.inc"
#undef PATTERN
};

using DrawFunction = const char* (*)(const draws::Draw&, Operands&);
constexpr DrawFunction kDraws[] = {
#define PATTERN(name, mode, what) draws::draw_##name,
#include "reference/patterns.inc"
#undef PATTERN
};

const char* shape_fault(const DotShape& shape) {
  if (const char* fault = class_fault(shape.accuracy)) return fault;
  if (shape.k == 0 || shape.k % shape.weight_type->block_elements != 0)
    return "a row is not whole blocks of weights";
  if (shape.k % shape.activation_type->block_elements != 0) return "a row is not whole blocks of activations";
  const uint32_t group = activation_group(*shape.activation_type, shape.accuracy, shape.k);
  if (group != 0 && shape.k % group != 0) return "a row is not whole groups of quantized activations";
  return nullptr;
}

// The codes that a type's blocks can hold, found by looking at many random blocks.
std::vector<float> find_codes(const TensorType& type) {
  std::vector<float> codes;
  if (!has_scales(type)) return codes;
  constexpr uint64_t kBlocks = 512;
  Generator g(0, type.name);
  std::vector<std::byte> blocks(kBlocks * type.block_bytes);
  for (uint64_t i = 0; i < kBlocks; ++i)
    draws::random_block(type, blocks.data() + i * type.block_bytes, g, {0, 0});
  const RowTerms terms = row_terms(type, blocks.data(), kBlocks * type.block_elements);
  for (size_t i = 0; i < terms.code.size(); ++i) {
    if (terms.step[i] != 0) codes.push_back(terms.code[i] + 0.0f);
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

// Found once a process for each type.
const std::vector<float>& codes_of(const TensorType& type) {
  static std::mutex mutex;
  static std::map<uint32_t, std::vector<float>> found;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = found.try_emplace(type.id);
  if (is_new) at->second = find_codes(type);
  return at->second;
}

}  // namespace

std::span<const Pattern> patterns() { return kPatterns; }

const char* draw_operands(const DotShape& shape, pattern::Index index, const Generator& generator,
                          uint64_t draw, Operands& operands) {
  if (const char* fault = shape_fault(shape)) return fault;
  operands.weights.assign(shape.n * row_bytes(*shape.weight_type, shape.k), std::byte{0});
  operands.activations.assign(shape.m * row_bytes(*shape.activation_type, shape.k), std::byte{0});
  const Generator own = generator.stream(kPatterns[index].name);
  return kDraws[index]({shape, own, draw}, operands);
}

Coverage::Coverage(const TensorType& type)
    : type_(&type),
      codes_(codes_of(type)),
      positions_(type.block_elements),
      seen_(codes_.size() * positions_) {}

void Coverage::add(const DotShape& shape, const Operands& operands) {
  if (codes_.empty()) return;
  std::vector<bool> meets(shape.k);
  for (uint64_t row = 0; row < shape.m; ++row) {
    const std::byte* blocks = operands.activations.data() + row * row_bytes(*shape.activation_type, shape.k);
    const ActivationRow activations = activation_row(*shape.activation_type, blocks, shape.k, shape.accuracy);
    for (uint64_t i = 0; i < shape.k; ++i)
      meets[i] =
          meets[i] || activations.value[i] + (activations.offset.empty() ? 0 : activations.offset[i]) != 0;
  }
  RowTerms terms;
  for (uint64_t row = 0; row < shape.n; ++row) {
    row_terms(*type_, operands.weights.data() + row * row_bytes(*type_, shape.k), shape.k, terms);
    for (uint64_t i = 0; i < shape.k; ++i) {
      if (!meets[i] || terms.step[i] == 0) continue;
      const auto code = std::lower_bound(codes_.begin(), codes_.end(), terms.code[i]);
      if (code == codes_.end() || *code != terms.code[i]) continue;
      auto seen = seen_[static_cast<size_t>(code - codes_.begin()) * positions_ + i % positions_];
      met_ += !seen;
      seen = true;
    }
  }
}

uint64_t draws_to_coverage(const DotShape& shape, const Generator& generator, uint64_t limit) {
  Coverage coverage(*shape.weight_type);
  Operands operands;
  for (uint64_t draw = 0; draw < limit; ++draw) {
    if (draw_operands(shape, pattern::exact, generator, draw, operands) != nullptr) return 0;
    coverage.add(shape, operands);
    if (coverage.complete()) return draw + 1;
  }
  return 0;
}

}  // namespace gcts
