// Draws operands that are judged by an error bound or by their special values.
#include "reference/draws.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "reference/activations.h"
#include "reference/float_formats.h"
#include "reference/terms.h"

namespace gcts::draws {
namespace {

// Scales of ordinary data: exponents -7 to 4.
constexpr Range kOrdinary = {-7, 4};
// Probes need weights of like size everywhere: what one code step is worth must show against
// the sum of all.
constexpr Range kProbe = {0, 0};

struct ScaleLimits {
  Range normal;
  uint32_t smallest_normal;  // of the bits without sign
};
ScaleLimits limits_of(NumberFormat format) {
  switch (format) {
    // 2^-126 to 2^120 of half of a power of two; the bytes above overflow with their codes.
    case NumberFormat::e8m0:
      return {{-126, 120}, 2};
    // Up to 0x7e: 0x7f and the bytes above are read in more than one way.
    case NumberFormat::ue4m3:
      return {{-7, 6}, 8};
    case NumberFormat::f32:
      return {{-100, 100}, 1u << 23};
    default:
      return {{-14, 15}, 1u << 10};
  }
}

// I8 to I64: plain numbers that have no quantizer.
bool is_integer(const TensorType& type) {
  return !has_scales(type) && type.codec->quantize == nullptr && type.id != tensor::f64;
}

using PutBlock = std::function<void(std::byte* block, Generator& g, uint64_t index)>;

void for_each_block(const Draw& draw, Operands& operands, const PutBlock& put) {
  const TensorType& type = *draw.shape.weight_type;
  std::byte* at = operands.weights.data();
  for (uint64_t row = 0; row < draw.shape.n; ++row) {
    Generator g = draw.weights(row);
    for (uint64_t index = 0; index < draw.shape.k / type.block_elements; ++index, at += type.block_bytes)
      put(at, g, index);
  }
}

using PutRow = std::function<void(std::span<float> values, Generator& g, uint64_t row)>;

void for_each_activation_row(const Draw& draw, Operands& operands, const PutRow& put) {
  const TensorType& type = *draw.shape.activation_type;
  std::vector<float> values(draw.shape.k);
  for (uint64_t row = 0; row < draw.shape.m; ++row) {
    Generator g = draw.activations(row);
    put(values, g, row);
    put_activations(draw.shape, values, operands.activations.data() + row * row_bytes(type, draw.shape.k));
  }
}

void normal_row(std::span<float> values, Generator& g, uint64_t) {
  for (float& x : values) x = g.normal();
}

void random_weights(const Draw& draw, Operands& operands, Range range) {
  const TensorType& type = *draw.shape.weight_type;
  for_each_block(draw, operands,
                 [&](std::byte* block, Generator& g, uint64_t) { random_block(type, block, g, range); });
}

// Blocks of int8 activations with random codes, -128 included where the kernel takes it.
void random_activation_blocks(const Draw& draw, Operands& operands) {
  const TensorType& type = *draw.shape.activation_type;
  std::byte* at = operands.activations.data();
  for (uint64_t row = 0; row < draw.shape.m; ++row) {
    Generator g = draw.activations(row);
    for (uint64_t block = 0; block < draw.shape.k / type.block_elements; ++block, at += type.block_bytes) {
      random_block(type, at, g, kOrdinary);
      for (const BlockField& field : type.codec->fields) {
        if (field.role != FieldRole::code || !draw.shape.accuracy.code_min_unsupported) continue;
        for (uint32_t i = 0; i < field.count; ++i) {
          if (at[field.offset + i] == std::byte{0x80}) at[field.offset + i] = std::byte{0x81};
        }
      }
      set_block_sums(type, at);
    }
  }
}

// Blocks that a searching quantizer makes of data.  Searching is slow, so a process makes
// them once for each type and kind of data, from a stream of their own, and every case
// draws among them.
const std::vector<std::byte>& searched_blocks(const TensorType& type, std::string_view kind, const PutRow& data) {
  constexpr uint64_t kElements = 8192;
  static std::mutex mutex;
  static std::map<std::pair<uint32_t, std::string>, std::vector<std::byte>> made;
  const std::lock_guard lock(mutex);
  std::vector<std::byte>& blocks = made[{type.id, std::string(kind)}];
  if (blocks.empty()) {
    std::vector<float> values(kElements);
    Generator g = Generator(0, kind).stream(type.name);
    data(values, g, 0);
    blocks.resize(row_bytes(type, kElements));
    type.codec->quantize(values.data(), nullptr, blocks.data(), kElements);
  }
  return blocks;
}

// Weights that a quantizer makes of data, or random codes under like scales.
void quantized_weights(const Draw& draw, Operands& operands, std::string_view kind, const PutRow& data) {
  const TensorType& type = *draw.shape.weight_type;
  if (type.codec->quantize == nullptr) {
    random_weights(draw, operands, {-6, -5});
    return;
  }
  const uint64_t needed = draw.shape.n * draw.shape.k / type.block_elements;
  Generator g = draw.generator.stream("data").stream(draw.number);
  if (type.codec->searches) {
    const std::vector<std::byte>& pool = searched_blocks(type, kind, data);
    const uint64_t made = pool.size() / type.block_bytes;
    for (uint64_t block = 0; block < needed; ++block)
      std::copy_n(pool.data() + g.below(made) * type.block_bytes, type.block_bytes,
                  operands.weights.data() + block * type.block_bytes);
    return;
  }
  std::vector<float> values(needed * type.block_elements);
  data(values, g, 0);
  type.codec->quantize(values.data(), nullptr, operands.weights.data(), values.size());
}

// A block whose code and sub-scale bytes are all one byte.
void uniform_block(const TensorType& type, std::byte* block, Generator& g, Range range, std::byte codes,
                   std::byte subscales) {
  random_block(type, block, g, range);
  for (const BlockField& field : type.codec->fields) {
    if (field.role != FieldRole::code && field.role != FieldRole::subscale) continue;
    const uint32_t bytes = field.count * number_bytes(field.format);
    std::fill_n(block + field.offset, bytes, field.role == FieldRole::code ? codes : subscales);
  }
}

// The powers of two that ordinary activations are multiplied with, so that they are small or
// large in the narrowest format that they pass through.
struct Reach {
  Range small, large;
};
Reach activation_reach(const DotShape& shape) {
  const TensorType& type = *shape.activation_type;
  const Activation quantized = shape.accuracy.activation;
  // Plain halves: up to six times 2^13.
  if (type.id == tensor::f16 || quantized == Activation::f16) return {{-18, -14}, {10, 13}};
  // Block sums are halves too: 32 times six times 2^8 at most.
  if (type.id == tensor::q8_1 || quantized == Activation::q8_1) return {{-13, -9}, {6, 8}};
  // The scale is a half: a 127th of the largest.
  if (type.id == tensor::q8_0 || quantized == Activation::q8_0) return {{-13, -9}, {16, 18}};
  return {{-90, -80}, {60, 70}};
}

void scaled_activations(const Draw& draw, Operands& operands, Range range) {
  for_each_activation_row(draw, operands, [&](std::span<float> values, Generator& g, uint64_t row) {
    const auto power = static_cast<int>(g.between(range.low, range.high));
    normal_row(values, g, row);
    for (float& x : values) x = std::ldexp(x, power);
  });
}

// Ordinary activations, and one that is `special` in each row.
void special_activations(const Draw& draw, Operands& operands, float special) {
  for_each_activation_row(draw, operands, [&](std::span<float> values, Generator& g, uint64_t row) {
    normal_row(values, g, row);
    values[(draw.number * 37 + row * 11) % values.size()] = special;
  });
}

// The block of a row that a special scale goes to: another one in each draw and row.
uint64_t marked_block(const Draw& draw, uint64_t row) {
  return (draw.number + 3 * row) % (draw.shape.k / draw.shape.weight_type->block_elements);
}

const char* draw_special_scale(const Draw& draw, Operands& operands, uint16_t bits) {
  const TensorType& type = *draw.shape.weight_type;
  if (is_integer(type)) return "an integer type has neither NaN nor infinity";
  if (has_scales(type) && scale_format(type) != NumberFormat::f16)
    return "the type's scale format has no number that every decoder reads as NaN or infinity";
  random_weights(draw, operands, kOrdinary);
  for (uint64_t row = 0; row < draw.shape.n; ++row) {
    std::byte* block = operands.weights.data() + row * row_bytes(type, draw.shape.k) +
                       marked_block(draw, row) * type.block_bytes;
    const bool negative = draw.number % 4 >= 2;
    const auto signed_bits = static_cast<uint16_t>(bits | (negative ? 0x8000 : 0));
    if (!has_scales(type)) {
      put_plain(type, block, f16_to_f32(signed_bits));
    } else if (has_mins(type) && draw.number % 2 == 1) {
      set_min(type, block, signed_bits);
    } else {
      set_scale(type, block, 0, signed_bits);
    }
  }
  for_each_activation_row(draw, operands, normal_row);
  return nullptr;
}

}  // namespace

uint32_t random_scale(const TensorType& type, Generator& g, Range range) {
  const NumberFormat format = scale_format(type);
  const ScaleLimits limits = limits_of(format);
  const int low = std::clamp(range.low, limits.normal.low, limits.normal.high);
  const int high = std::clamp(range.high, limits.normal.low, limits.normal.high);
  const uint32_t bits =
      scale_bits(type, static_cast<int>(g.between(low, high)), static_cast<uint32_t>(g.below(0x10000)));
  const bool negative = g.chance(1, 2);
  if (format == NumberFormat::f16) return bits | (negative ? 0x8000 : 0);
  if (format == NumberFormat::f32) return bits | (negative ? 0x80000000 : 0);
  return bits;
}

uint32_t random_min(Generator& g, Range range) {
  const auto exponent = static_cast<int>(g.between(std::max(range.low, -14), std::min(range.high, 15)));
  return static_cast<uint32_t>(exponent + 15) << 10 | static_cast<uint32_t>(g.below(1024)) |
         (g.chance(1, 2) ? 0x8000 : 0);
}

void put_plain(const TensorType& type, std::byte* at, float value) {
  // The plain types have one element a block; those with a quantizer round to nearest.
  if (type.codec->quantize != nullptr) return type.codec->quantize(&value, nullptr, at, 1);
  if (is_integer(type)) {
    const auto integer = static_cast<int64_t>(std::nearbyint(value));
    std::memcpy(at, &integer, type.block_bytes);
    return;
  }
  const double wide = value;
  std::memcpy(at, &wide, sizeof wide);
}

void random_block(const TensorType& type, std::byte* block, Generator& g, Range range) {
  if (is_integer(type)) return g.fill(block, type.block_bytes);
  if (!has_scales(type)) {
    // f16 holds six times 2^12.
    const Range fits = type.id == tensor::f16 ? Range{-14, 12} : Range{-100, 100};
    const int low = std::clamp(range.low, fits.low, fits.high),
              high = std::clamp(range.high, fits.low, fits.high);
    put_plain(type, block, std::ldexp(g.normal(), static_cast<int>(g.between(low, high))));
    return;
  }
  g.fill(block, type.block_bytes);
  for (uint32_t i = 0; i < scale_count(type); ++i) set_scale(type, block, i, random_scale(type, g, range));
  set_min(type, block, random_min(g, range));
}

void put_activations(const DotShape& shape, std::span<float> values, std::byte* row) {
  const TensorType& type = *shape.activation_type;
  const uint32_t group = activation_group(type, shape.accuracy, shape.k);
  // Values of a short float type are first what that type can hold.
  if (type.block_elements == 1 && type.id != tensor::f32) {
    type.codec->quantize(values.data(), nullptr, row, values.size());
    type.codec->dequantize(row, values.data(), values.size());
  }
  if (group != 0)
    shape.accuracy.activation_offset ? clear_of_offset_ties(values, group)
                                     : clear_of_int8_ties(values, group);
  if (shape.accuracy.activation == Activation::f16) clear_of_float_ties(values, FloatFormat::f16);
  if (shape.accuracy.activation == Activation::bf16) clear_of_float_ties(values, FloatFormat::bf16);
  type.codec->quantize(values.data(), nullptr, row, values.size());
}

const char* draw_probe(const Draw& draw, Operands& operands) {
  const DotShape& shape = draw.shape;
  const TensorType& type = *shape.weight_type;
  for_each_block(draw, operands, [&](std::byte* block, Generator& g, uint64_t) {
    // A sub-scale of 0 would hide a place; about one block in three of Q2_K has none.
    for (int attempt = 0; attempt < 64; ++attempt) {
      random_block(type, block, g, kProbe);
      if (!has_zero_step(type, block)) break;
    }
  });
  const uint64_t stride = probe_draws(shape);
  for_each_activation_row(draw, operands, [&](std::span<float> values, Generator& g, uint64_t row) {
    std::fill(values.begin(), values.end(), 0.0f);
    // One place of each stretch of `stride`, shifted by an amount of its own.
    const Generator shifts = draw.generator.stream("shifts");
    for (uint64_t j = 0; j * stride < shape.k; ++j) {
      const uint64_t place = j * stride + (draw.number * shape.m + row + shifts.at(j)) % stride;
      if (place < shape.k) values[place] = g.uniform(0.5f, 2.0f) * (g.chance(1, 2) ? 1.0f : -1.0f);
    }
  });
  return nullptr;
}

const char* draw_random_blocks(const Draw& draw, Operands& operands) {
  random_weights(draw, operands, kOrdinary);
  if (has_scales(*draw.shape.activation_type)) {
    random_activation_blocks(draw, operands);
  } else {
    for_each_activation_row(draw, operands, normal_row);
  }
  return nullptr;
}

const char* draw_wide_scales(const Draw& draw, Operands& operands) {
  random_weights(draw, operands, {-40, 40});
  for_each_activation_row(draw, operands, normal_row);
  return nullptr;
}

const char* draw_normal(const Draw& draw, Operands& operands) {
  quantized_weights(draw, operands, "normal", normal_row);
  for_each_activation_row(draw, operands, normal_row);
  return nullptr;
}

const char* draw_heavy_tailed(const Draw& draw, Operands& operands) {
  const auto heavy_row = [](std::span<float> values, Generator& g, uint64_t) {
    for (float& x : values) x = g.heavy_tailed();
  };
  quantized_weights(draw, operands, "heavy_tailed", heavy_row);
  for_each_activation_row(draw, operands, heavy_row);
  return nullptr;
}

const char* draw_extreme_codes(const Draw& draw, Operands& operands) {
  const TensorType& type = *draw.shape.weight_type;
  for_each_block(draw, operands, [&](std::byte* block, Generator& g, uint64_t) {
    const std::byte codes{kExtremeBytes[draw.number % 6]},
        subscales{kExtremeBytes[(draw.number + draw.number / 6) % 6]};
    uniform_block(type, block, g, kOrdinary, codes, subscales);
  });
  for_each_activation_row(draw, operands, [](std::span<float> values, Generator& g, uint64_t row) {
    // Large codes of one sign in every second row: integer sums come near their ends.
    for (float& x : values) x = g.uniform(0.9f, 1.0f) * (row % 2 == 0 || g.chance(1, 2) ? 1.0f : -1.0f);
  });
  return nullptr;
}

const char* draw_sparse(const Draw& draw, Operands& operands) {
  const TensorType& type = *draw.shape.weight_type;
  const bool zeros = has_scales(type) && scale_format(type) != NumberFormat::e8m0;
  for_each_block(draw, operands, [&](std::byte* block, Generator& g, uint64_t) {
    random_block(type, block, g, kOrdinary);
    if (!zeros || !g.chance(1, 5)) return;
    for (uint32_t i = 0; i < scale_count(type); ++i) set_scale(type, block, i, 0);
    set_min(type, block, 0);
  });
  for_each_activation_row(draw, operands, [](std::span<float> values, Generator& g, uint64_t) {
    for (size_t begin = 0; begin < values.size(); begin += 32) {
      const bool run_is_zero = g.chance(3, 4);
      for (size_t i = begin; i < std::min(begin + 32, values.size()); ++i) {
        const float x = g.normal();
        values[i] = run_is_zero || g.chance(3, 5) ? 0.0f : x;
      }
    }
  });
  return nullptr;
}

const char* draw_cancelling(const Draw& draw, Operands& operands) {
  const TensorType& type = *draw.shape.weight_type;
  for_each_block(draw, operands, [&](std::byte* block, Generator&, uint64_t) {
    // The same block everywhere; its codes are the same at any two neighbours.
    Generator same = draw.generator.stream(draw.number);
    if (!has_scales(type)) {
      put_plain(type, block, 1 + same.unit());
      return;
    }
    const auto byte = static_cast<std::byte>(same.below(16) * 0x11);
    uniform_block(type, block, same, {-3, -3}, byte, std::byte{0x21});
  });
  for_each_activation_row(draw, operands, [](std::span<float> values, Generator& g, uint64_t) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = (i % 2 == 0 ? 1.0f : -1.0f) * (1 + g.unit() * 0x1p-6f);
  });
  return nullptr;
}

const char* draw_subnormal_scales(const Draw& draw, Operands& operands) {
  const TensorType& type = *draw.shape.weight_type;
  for_each_block(draw, operands, [&](std::byte* block, Generator& g, uint64_t) {
    random_block(type, block, g, kOrdinary);
    if (!has_scales(type)) {
      // The smallest normal number of f16 is 2^-14, of f32 and bf16 2^-126.
      put_plain(type, block, g.uniform(-1, 1) * (type.id == tensor::f16 ? 0x1p-14f : 0x1p-126f));
      return;
    }
    const uint32_t below = limits_of(scale_format(type)).smallest_normal;
    for (uint32_t i = 0; i < scale_count(type); ++i)
      set_scale(type, block, i, static_cast<uint32_t>(g.below(below)));
    set_min(type, block, static_cast<uint32_t>(g.below(1024)));
  });
  for_each_activation_row(draw, operands, normal_row);
  return nullptr;
}

const char* draw_huge_scales(const Draw& draw, Operands& operands) {
  random_weights(draw, operands, {14, 15});
  const TensorType& type = *draw.shape.weight_type;
  if (has_scales(type) && scale_format(type) == NumberFormat::e8m0) random_weights(draw, operands, {90, 100});
  for_each_activation_row(draw, operands, normal_row);
  return nullptr;
}

const char* draw_small_scales(const Draw& draw, Operands& operands) {
  const TensorType& type = *draw.shape.weight_type;
  const bool short_exponent = type.id == tensor::f16 || (has_scales(type) && scale_format(type) == NumberFormat::f16);
  random_weights(draw, operands, short_exponent ? Range{-14, -11} : Range{-110, -98});
  for_each_activation_row(draw, operands, normal_row);
  return nullptr;
}

const char* draw_small_activations(const Draw& draw, Operands& operands) {
  random_weights(draw, operands, kOrdinary);
  scaled_activations(draw, operands, activation_reach(draw.shape).small);
  return nullptr;
}

const char* draw_large_activations(const Draw& draw, Operands& operands) {
  random_weights(draw, operands, kOrdinary);
  scaled_activations(draw, operands, activation_reach(draw.shape).large);
  return nullptr;
}

const char* draw_nan_scale(const Draw& draw, Operands& operands) {
  return draw_special_scale(draw, operands, 0x7e00);
}

const char* draw_infinite_scale(const Draw& draw, Operands& operands) {
  return draw_special_scale(draw, operands, 0x7c00);
}

const char* draw_nan_activation(const Draw& draw, Operands& operands) {
  const DotShape& shape = draw.shape;
  const TensorType& type = *shape.activation_type;
  const bool blocks = has_scales(type);  // given as blocks: nothing quantizes them again
  if (!blocks && activation_group(type, shape.accuracy, shape.k) != 0)
    return "activations are quantized, and a quantizer may lose a NaN";
  random_weights(draw, operands, kOrdinary);
  special_activations(draw, operands, blocks ? 1.0f : std::numeric_limits<float>::quiet_NaN());
  for (uint64_t row = 0; blocks && row < shape.m; ++row) {
    std::byte* at = operands.activations.data() + row * row_bytes(type, shape.k);
    const uint64_t block = (draw.number * 3 + row) % (shape.k / type.block_elements);
    set_scale(type, at + block * type.block_bytes, 0, scale_format(type) == NumberFormat::f32 ? 0x7fc00000 : 0x7e00);
  }
  return nullptr;
}

const char* draw_infinite_activation(const Draw& draw, Operands& operands) {
  const DotShape& shape = draw.shape;
  if (activation_group(*shape.activation_type, shape.accuracy, shape.k) != 0)
    return "activations are quantized, and a quantizer may lose an infinity";
  if (is_integer(*shape.activation_type)) return "an integer type has no infinity";
  random_weights(draw, operands, kOrdinary);
  const float infinity = std::numeric_limits<float>::infinity();
  special_activations(draw, operands, draw.number % 2 == 0 ? infinity : -infinity);
  return nullptr;
}

const char* draw_negative_zero(const Draw& draw, Operands& operands) {
  const TensorType& type = *draw.shape.weight_type;
  const bool zero_weights = !has_scales(type) || scale_format(type) == NumberFormat::f16;
  for_each_block(draw, operands, [&](std::byte* block, Generator& g, uint64_t) {
    random_block(type, block, g, kOrdinary);
    if (!zero_weights) return;
    if (!has_scales(type)) put_plain(type, block, -0.0f);
    for (uint32_t i = 0; i < scale_count(type); ++i) set_scale(type, block, i, 0x8000);
    set_min(type, block, 0x8000);
  });
  // Weights that are all zero meet ordinary activations in every second draw.
  for_each_activation_row(draw, operands, [&](std::span<float> values, Generator& g, uint64_t row) {
    normal_row(values, g, row);
    if (!zero_weights || draw.number % 2 == 0) std::fill(values.begin(), values.end(), -0.0f);
  });
  return nullptr;
}

}  // namespace gcts::draws

namespace gcts {

// Where a sum or a result is in a short format, beside a second activation one code of the
// first need not show.
uint64_t probe_draws(const DotShape& shape) {
  const uint64_t places = exact_limit(shape.accuracy) < 0x1p24 ? 1 : 64;
  return (shape.k + places - 1) / places;
}

}  // namespace gcts
