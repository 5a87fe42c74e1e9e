// Takes rows of blocks apart into exact terms.
#include "reference/terms.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "reference/block.h"
#include "reference/codec.h"
#include "reference/codecs/k_scales.h"
#include "reference/float_formats.h"

namespace gcts {
namespace {

// The sub-scale of run `run` of a block with scale 1.
using Substep = double (*)(const uint8_t* block, size_t run);

double nibble(uint8_t byte, size_t half) { return byte >> 4 * half & 15; }
uint32_t word16(const uint8_t* bytes) { return bytes[0] | uint32_t{bytes[1]} << 8; }

double q2_k(const uint8_t* block, size_t run) { return block[run] & 15; }
double q3_k(const uint8_t* block, size_t run) {
  const uint8_t* scales = block + 96;
  const uint32_t low = scales[run % 8] >> 4 * (run / 8) & 15;
  const uint32_t high = scales[8 + run % 4] >> 2 * (run / 4) & 3;
  return static_cast<int>(low | high << 4) - 32;
}
double q4_k(const uint8_t* block, size_t run) { return k_scales::scale(block + 4, run); }
double q6_k(const uint8_t* block, size_t run) { return static_cast<int8_t>(block[192 + run]); }
double iq1_s(const uint8_t* block, size_t run) {
  return (2 * (word16(block + 34 + 2 * run) >> 12 & 7) + 1) * 0.125;
}
double iq1_m(const uint8_t* block, size_t run) {
  return (2 * (word16(block + 48 + 2 * (run / 4)) >> 3 * (run % 4) & 7) + 1) * 0.125;
}
double iq2_xxs(const uint8_t* block, size_t run) { return (0.5 + nibble(block[9 + 8 * run], 1)) * 0.25; }
double iq2_xs(const uint8_t* block, size_t run) {
  return (0.5 + nibble(block[66 + run / 2], run % 2)) * 0.25;
}
double iq2_s(const uint8_t* block, size_t run) { return (0.5 + nibble(block[74 + run / 2], run % 2)) * 0.25; }
double iq3_xxs(const uint8_t* block, size_t run) { return (0.5 + nibble(block[69 + 4 * run], 1)) * 0.5; }
double iq3_s(const uint8_t* block, size_t run) { return 1 + 2 * nibble(block[106 + run / 2], run % 2); }
double iq4_xs(const uint8_t* block, size_t run) {
  const uint32_t high = word16(block + 2) >> 2 * run & 3;
  return nibble(block[4 + run / 2], run % 2) + 16 * high - 32;
}

struct CodeFacts {
  uint32_t type;
  uint32_t zero_point;    // in code steps
  uint32_t run_elements;  // 0: the scale's own
  Substep substep;        // null: 1
};
// clang-format off
constexpr CodeFacts kFacts[] = {
    // type          zero run  substep
    {tensor::q4_0,     8,   0, nullptr},
    {tensor::q5_0,    16,   0, nullptr},
    {tensor::q1_0,     1,   0, nullptr},
    {tensor::q2_0,     1,   0, nullptr},
    {tensor::tq1_0,    1,   0, nullptr},
    {tensor::tq2_0,    1,   0, nullptr},
    {tensor::q2_k,     0,  16, q2_k},
    {tensor::q3_k,     4,  16, q3_k},
    {tensor::q4_k,     0,  32, q4_k},
    {tensor::q5_k,     0,  32, q4_k},
    {tensor::q6_k,    32,  16, q6_k},
    {tensor::iq1_s,    1,  32, iq1_s},       // one step is the shift of 1/8
    {tensor::iq1_m,    1,  16, iq1_m},
    {tensor::iq2_xxs,  0,  32, iq2_xxs},
    {tensor::iq2_xs,   0,  16, iq2_xs},
    {tensor::iq2_s,    0,  16, iq2_s},
    {tensor::iq3_xxs,  0,  32, iq3_xxs},
    {tensor::iq3_s,    0,  32, iq3_s},
    {tensor::iq4_xs,   0,  32, iq4_xs},
};
// clang-format on

CodeFacts facts_of(const TensorType& type) {
  for (const CodeFacts& facts : kFacts) {
    if (facts.type == type.id) return facts;
  }
  return {type.id, 0, 0, nullptr};
}

const BlockField* field_of(const TensorType& type, FieldRole role) {
  for (const BlockField& field : type.codec->fields) {
    if (field.role == role) return &field;
  }
  return nullptr;
}

// IQ1_M has no scale field of its own: four bits of an f16 are the top of each of four words.
bool is_spread(const BlockField& field) { return field.format == NumberFormat::u16 && field.count == 4; }

void set_number(const BlockField& field, std::byte* block, uint32_t index, uint32_t bits) {
  auto* bytes = reinterpret_cast<uint8_t*>(block) + field.offset;
  if (is_spread(field)) {
    for (size_t i = 0; i < 4; ++i)
      bytes[2 * i + 1] = static_cast<uint8_t>((bytes[2 * i + 1] & 15) | (bits >> 4 * i & 15) << 4);
    return;
  }
  const uint32_t width = number_bytes(field.format);
  bytes += size_t{index} * width;
  for (uint32_t j = 0; j < width; ++j) bytes[j] = static_cast<uint8_t>(bits >> 8 * j);
}

uint32_t number_count(const BlockField& field) { return is_spread(field) ? 1 : field.count; }

// Number `index` of a scale or min field.
double number_at(const BlockField& field, const std::byte* block, uint32_t index) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(block) + field.offset;
  if (is_spread(field)) {
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) bits |= static_cast<uint32_t>(bytes[2 * i + 1] >> 4) << 4 * i;
    return f16_to_f32(static_cast<uint16_t>(bits));
  }
  bytes += index * number_bytes(field.format);
  switch (field.format) {
    case NumberFormat::f16:
      return f16_to_f32(static_cast<uint16_t>(word16(bytes)));
    case NumberFormat::bf16:
      return bf16_to_f32(static_cast<uint16_t>(word16(bytes)));
    case NumberFormat::f32:
      return std::bit_cast<float>(word16(bytes) | word16(bytes + 2) << 16);
    case NumberFormat::e8m0:
      return e8m0_half(*bytes);
    case NumberFormat::ue4m3:
      return ue4m3_half(*bytes);
    default:
      assert(false);
      return 0;
  }
}

double at_least_one(double x) { return std::max(1.0, std::fabs(x)); }

// The values of a row whose blocks all have these scales and mins.
void decode_with(const TensorType& type, const std::byte* blocks, uint64_t count, uint32_t scale, uint32_t min,
                 std::vector<float>& values) {
  thread_local std::vector<std::byte> copy;
  const size_t bytes = count / type.block_elements * type.block_bytes;
  const BlockField& scales = *field_of(type, FieldRole::scale);
  const BlockField* mins = field_of(type, FieldRole::min);
  copy.assign(blocks, blocks + bytes);
  for (size_t at = 0; at < bytes; at += type.block_bytes) {
    for (uint32_t i = 0; i < number_count(scales); ++i) set_number(scales, copy.data() + at, i, scale);
    if (mins != nullptr) set_number(*mins, copy.data() + at, 0, min);
  }
  values.resize(count);
  type.codec->dequantize(copy.data(), values.data(), count);
}

void plain_terms(const TensorType& type, const std::byte* values, uint64_t count, RowTerms& row) {
  row.code.resize(count);
  row.product.resize(count);
  row.step.resize(count);
  row.growth.resize(count);
  row.offset.clear();
  type.codec->dequantize(values, row.code.data(), count);
  for (uint64_t i = 0; i < count; ++i) {
    const double value = row.code[i];
    row.product[i] = value;
    row.step[i] = std::fabs(value);
    row.growth[i] = at_least_one(value);
    row.finite &= std::isfinite(row.code[i]);
    row.has_nan |= std::isnan(row.code[i]);
  }
}

}  // namespace

uint32_t scale_count(const TensorType& type) {
  const BlockField* field = field_of(type, FieldRole::scale);
  return field == nullptr ? 0 : number_count(*field);
}

void set_scale(const TensorType& type, std::byte* block, uint32_t index, uint32_t bits) {
  if (const BlockField* field = field_of(type, FieldRole::scale)) set_number(*field, block, index, bits);
}

bool has_mins(const TensorType& type) { return field_of(type, FieldRole::min) != nullptr; }

void set_min(const TensorType& type, std::byte* block, uint32_t bits) {
  if (const BlockField* field = field_of(type, FieldRole::min)) set_number(*field, block, 0, bits);
}

NumberFormat scale_format(const TensorType& type) {
  const BlockField& field = *field_of(type, FieldRole::scale);
  return is_spread(field) ? NumberFormat::f16 : field.format;
}

bool has_subscales(const TensorType& type) {
  return field_of(type, FieldRole::subscale) != nullptr || facts_of(type).substep != nullptr;
}

uint32_t zero_point(const TensorType& type) { return facts_of(type).zero_point; }

uint32_t run_elements(const TensorType& type) {
  const uint32_t run = facts_of(type).run_elements;
  if (run != 0) return run;
  return has_scales(type) ? type.block_elements / scale_count(type) : type.block_elements;
}

uint32_t scale_bits(const TensorType& type, int exponent, uint32_t fraction) {
  switch (scale_format(type)) {
    case NumberFormat::e8m0:
      return static_cast<uint32_t>(128 + exponent);  // half of 2^(e - 127)
    case NumberFormat::ue4m3:
      return static_cast<uint32_t>(8 + exponent) << 3 | fraction >> 13;  // half of 2^(e - 7)
    case NumberFormat::f32:
      return static_cast<uint32_t>(127 + exponent) << 23 | fraction << 7;
    default:
      return static_cast<uint32_t>(15 + exponent) << 10 | fraction >> 6;
  }
}

RowTerms row_terms(const TensorType& type, const std::byte* blocks, uint64_t count) {
  RowTerms row;
  row_terms(type, blocks, count, row);
  return row;
}

void row_terms(const TensorType& type, const std::byte* blocks, uint64_t count, RowTerms& row) {
  assert(count % type.block_elements == 0);
  row.largest_scale = 1;
  row.finite = true;
  row.has_nan = false;
  const BlockField* scale_field = field_of(type, FieldRole::scale);
  if (scale_field == nullptr) return plain_terms(type, blocks, count, row);
  const BlockField* min_field = field_of(type, FieldRole::min);
  const CodeFacts facts = facts_of(type);
  const uint32_t run = run_elements(type);
  const uint32_t scales = number_count(*scale_field);

  thread_local std::vector<float> units, mins;
  decode_with(type, blocks, count, scale_bits(type, 0), 0, units);
  mins.clear();
  if (min_field != nullptr) decode_with(type, blocks, count, 0, f32_to_f16(1), mins);

  row.product.resize(count);
  row.step.resize(count);
  row.code.resize(count);
  row.growth.resize(count);
  row.offset.resize(mins.size());
  const uint32_t runs = type.block_elements / run;
  const std::byte* block = blocks;
  uint32_t number = 0;  // of the run in its block
  for (uint64_t i = 0; i < count; i += run) {
    const double scale = number_at(*scale_field, block, number * scales / runs);
    const double sub =
        facts.substep == nullptr ? 1 : facts.substep(reinterpret_cast<const uint8_t*>(block), number);
    const double grown = at_least_one(scale) * at_least_one(sub), divisor = sub == 0 ? HUGE_VAL : sub;
    for (uint64_t j = i; j < i + run; ++j) {
      const double code = units[j] / divisor;
      row.product[j] = scale * units[j];
      row.step[j] = scale * sub;
      row.code[j] = static_cast<float>(code);
      row.growth[j] = grown * at_least_one(code);
    }
    row.finite &= std::isfinite(scale);
    row.has_nan |= std::isnan(scale);
    row.largest_scale = std::max(row.largest_scale, grown);
    if (min_field != nullptr) {
      const double min = number_at(*min_field, block, 0);
      row.finite &= std::isfinite(min);
      row.has_nan |= std::isnan(min);
      for (uint64_t j = i; j < i + run; ++j) {
        const double grown_min = at_least_one(min) * at_least_one(mins[j]);
        row.offset[j] = min * mins[j];
        row.growth[j] = std::max(row.growth[j], grown_min);
        row.largest_scale = std::max(row.largest_scale, grown_min);
      }
    }
    if (++number == runs) number = 0, block += type.block_bytes;
  }
}

bool has_zero_step(const TensorType& type, const std::byte* block) {
  const BlockField* scale_field = field_of(type, FieldRole::scale);
  if (scale_field == nullptr) return false;
  const CodeFacts facts = facts_of(type);
  const uint32_t runs = type.block_elements / run_elements(type);
  for (uint32_t run = 0; run < runs; ++run) {
    if (number_at(*scale_field, block, run * number_count(*scale_field) / runs) == 0) return true;
    if (facts.substep != nullptr && facts.substep(reinterpret_cast<const uint8_t*>(block), run) == 0) return true;
  }
  return false;
}

}  // namespace gcts
