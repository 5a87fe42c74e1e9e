// Draws operands for which no correct kernel rounds anything.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/activations.h"
#include "reference/block_bits.h"
#include "reference/draws.h"
#include "reference/exact.h"
#include "reference/float_formats.h"
#include "reference/terms.h"

namespace gcts::draws {
namespace {

// Where a block stands in the sequence of all blocks of the case's exact draws.
struct Place {
  uint64_t visit;   // counts blocks over rows and draws: a code comes round every so many visits
  uint64_t scale;   // the index into the Thue-Morse sequence
  bool full_range;  // sub-scales of their whole range, not only small ones
  bool wide;        // the sum holds 24 bits
};

// Code number c of the element at position p in visit v is (v * odd_p + offset_p) mod 2^width:
// every code comes to every place within 2^width visits.  offset_p is another one in each
// round, so that no code is always paired with the same activation.
class Codes {
 public:
  Codes(const TensorType& type, const Generator& codes) : bits_(BlockBits::of(type)) {
    for (size_t p = 0; p < type.block_elements; ++p) {
      if (bits_.code_width(p) == 0) continue;
      const Generator own = codes.stream(p);
      places_.push_back({p, bits_.code_width(p), own, own.at(0) | 1, UINT64_MAX, 0});
    }
  }

  void put(std::byte* block, uint64_t visit) {
    for (PlaceOfCode& place : places_) {
      const uint64_t round = visit >> place.width;
      if (round != place.round) {
        place.round = round;
        place.offset = place.own.at(1 + round);
      }
      const uint64_t number = visit * place.odd + place.offset;
      bits_.set_code(block, place.element, static_cast<uint32_t>(number & ((uint64_t{1} << place.width) - 1)));
    }
  }

 private:
  struct PlaceOfCode {
    size_t element, width;
    Generator own;
    uint64_t odd, round, offset;  // of the round that was last
  };
  const BlockBits& bits_;
  std::vector<PlaceOfCode> places_;
};

void put_scales(const TensorType& type, std::byte* block, Generator& g, const Place& place) {
  for (uint32_t i = 0; i < scale_count(type); ++i) {
    const auto exponent = static_cast<int>(thue_morse(place.scale * scale_count(type) + i));
    // A scale with a mantissa of three bits stays a multiple of 1/8.
    const bool has_fraction = place.wide && scale_format(type) == NumberFormat::ue4m3;
    set_scale(type, block, i,
              scale_bits(type, exponent, has_fraction ? static_cast<uint32_t>(g.below(0x10000)) : 0));
  }
  const auto own_min = g.between(1, 3) * (g.chance(1, 2) ? 1 : -1);
  const auto min = has_subscales(type) ? int64_t{1 + thue_morse(5 * place.scale + 2)} : own_min;
  set_min(type, block, f32_to_f16(static_cast<float>(min)));
}

void put_weight_block(const TensorType& type, std::byte* block, Generator& g, Codes& codes, const Place& place) {
  g.fill(block, type.block_bytes);
  if (place.wide && g.chance(1, 8)) {
    // Codes at one end of their range, so that integer sums come near the ends of theirs.
    const std::byte all{kExtremeBytes[g.below(std::size(kExtremeBytes))]};
    for (const BlockField& field : type.codec->fields) {
      if (field.role == FieldRole::code)
        std::fill_n(block + field.offset, field.count * number_bytes(field.format), all);
    }
  } else {
    codes.put(block, place.visit);
  }
  if (!place.full_range) BlockBits::of(type).set_small_steps(block, g);
  put_scales(type, block, g, place);
}

// Writes the code of the smallest magnitude that its bits allow.
void put_least_code(const TensorType& type, std::byte* block, size_t element) {
  const BlockBits& bits = BlockBits::of(type);
  const size_t width = bits.code_width(element);
  if (width == 0 || width > 8) return;
  std::vector<float> values(type.block_elements);
  uint32_t best = 0;
  float least = HUGE_VALF;
  for (uint32_t number = 0; number < 1u << width; ++number) {
    bits.set_code(block, element, number);
    type.codec->dequantize(block, values.data(), values.size());
    if (std::fabs(values[element]) >= least) continue;
    least = std::fabs(values[element]);
    best = number;
  }
  bits.set_code(block, element, best);
}

// The 127 units that set a group's scale leave a bf16 sum no room but where the weights are
// next to nothing: one place of each group is made so in every row.
void put_anchor_places(const Draw& draw, Operands& operands, uint64_t group) {
  const TensorType& type = *draw.shape.weight_type;
  for (uint64_t begin = 0; begin < draw.shape.k; begin += group) {
    const uint64_t place = begin + (7 * (begin / group) + draw.number) % group;
    for (uint64_t row = 0; row < draw.shape.n; ++row) {
      std::byte* block = operands.weights.data() + row * row_bytes(type, draw.shape.k) +
                         place / type.block_elements * type.block_bytes;
      put_least_code(type, block, place % type.block_elements);
    }
  }
}

void put_weight_rows(const Draw& draw, Operands& operands, bool wide) {
  const DotShape& shape = draw.shape;
  const TensorType& type = *shape.weight_type;
  const uint64_t blocks = shape.k / type.block_elements;
  Codes codes(type, draw.generator.stream("codes"));
  std::byte* at = operands.weights.data();
  for (uint64_t row = 0; row < shape.n; ++row) {
    Generator g = draw.weights(row);
    for (uint64_t block = 0; block < blocks; ++block, at += type.block_bytes) {
      const uint64_t place = block + 3 * row + draw.number;
      if (has_scales(type)) {
        put_weight_block(
            type, at, g, codes,
            {(draw.number * shape.n + row) * blocks + block, place, wide && draw.number % 4 == 3, wide});
      } else {
        put_plain(type, at, static_cast<float>(g.between(-127, 127) * (1 + int64_t{thue_morse(place / 32)})));
      }
    }
  }
}

// What one unit of activation costs at each place of a row: the largest sum of term
// magnitudes of any weight row, in units of 2^exponent.
struct Costs {
  std::vector<double> cost;
  int exponent = 0;
};

Costs costs_of(const DotShape& shape, const Operands& operands) {
  const TensorType& type = *shape.weight_type;
  const FloatFormat rounded = shape.accuracy.weights;
  const bool rounds = rounded == FloatFormat::f16 || rounded == FloatFormat::bf16;
  Costs costs;
  costs.cost.assign(shape.k, 0);
  std::vector<double> numbers;
  RowTerms terms;
  for (uint64_t row = 0; row < shape.n; ++row) {
    row_terms(type, operands.weights.data() + row * row_bytes(type, shape.k), shape.k, terms);
    for (uint64_t i = 0; i < shape.k; ++i) {
      const double offset = terms.offset.empty() ? 0 : terms.offset[i];
      const double zero = shape.accuracy.zero_point_leaf ? zero_point(type) * std::fabs(terms.step[i]) : 0;
      double cost = std::fabs(terms.product[i]) + std::fabs(offset) + 2 * zero;
      if (rounds) {
        const double value = terms.product[i] + offset;
        cost = std::max(cost, std::fabs(round_to(value, rounded)));
        // A truncating kernel may round to the other neighbour.
        if (shape.accuracy.truncating && round_to(value, rounded) != value) cost = HUGE_VAL;
      }
      costs.cost[i] = std::max(costs.cost[i], cost);
    }
    numbers.insert(numbers.end(), {static_cast<double>(common_exponent(terms.product)),
                                   static_cast<double>(common_exponent(terms.offset))});
    if (shape.accuracy.zero_point_leaf) numbers.push_back(common_exponent(terms.step));
  }
  costs.exponent = static_cast<int>(*std::min_element(numbers.begin(), numbers.end()));
  for (double& cost : costs.cost) cost = std::ldexp(cost, -costs.exponent);
  return costs;
}

// How many activations of a draw are not zero, how large they are, and whether those of a
// group have one sign.
struct Style {
  uint32_t one_in;
  int64_t least, largest;
  bool one_sign;
};
constexpr Style kStyles[] = {
    {1, 1, 3, false}, {4, 1, 15, false}, {16, 1, 127, false}, {1, 1, 127, false}, {1, 120, 127, true}};

// One group of activations that share a scale.
class Group {
 public:
  Group(const Costs& costs, std::span<float> values, uint64_t begin, uint32_t exponent)
      : costs_(costs), values_(values), begin_(begin), unit_(static_cast<double>(1u << exponent)) {}

  // Puts `code` units at a place if its cost can be paid.
  bool put(size_t place, int64_t code, double& budget) {
    const double cost = costs_.cost[begin_ + place] * std::fabs(static_cast<double>(code)) * unit_;
    if (!(cost <= budget)) return false;
    budget -= cost;
    values_[begin_ + place] = static_cast<float>(static_cast<double>(code) * unit_);
    return true;
  }

  // The place of the cheapest element.
  size_t cheapest(size_t size) const {
    const auto first = costs_.cost.begin() + static_cast<ptrdiff_t>(begin_);
    return static_cast<size_t>(std::min_element(first, first + static_cast<ptrdiff_t>(size)) - first);
  }
  double cost(size_t place) const { return costs_.cost[begin_ + place] * unit_; }

 private:
  const Costs& costs_;
  std::span<float> values_;
  uint64_t begin_;
  double unit_;
};

void shuffle(std::span<uint32_t> order, Generator& g) {
  std::iota(order.begin(), order.end(), 0u);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[g.below(i)]);
}

// A group whose least value is -128 units and whose greatest is 127, so that its scale is one
// unit.  Every element takes part, the zeros too: as a code of 128 and an offset of -128.
void put_offset_group(Group& group, size_t size, const Style& style, Generator& g, double& budget) {
  double cost = 0;
  for (size_t place = 0; place < size; ++place) cost += (255 + 128) * group.cost(place);
  if (size < 2 || !(cost <= budget)) return;
  budget -= cost;
  std::vector<uint32_t> order(size);
  shuffle(order, g);
  double paid = HUGE_VAL;
  group.put(order[0], -128, paid);
  group.put(order[1], 127, paid);
  for (size_t i = 2; i < size; ++i) {
    if (g.chance(1, style.one_in))
      group.put(order[i], g.between(style.least, style.largest) * (g.chance(1, 2) ? 1 : -1), paid);
  }
}

// Fills one group.  `anchored`: it must hold 127 units, or nothing.
void put_group(Group& group, size_t size, bool anchored, int64_t largest_sum, const Style& style,
               Generator& g, double& budget) {
  std::vector<uint32_t> order(size);
  shuffle(order, g);
  size_t anchor = size;
  int64_t sum = 0;
  const int64_t sign = g.chance(1, 2) ? 1 : -1;
  if (anchored) {
    anchor = order[0];
    if (127 * group.cost(anchor) > budget / 4) anchor = group.cheapest(size);
    sum = 127 * sign;
    if (!group.put(anchor, sum, budget)) return;
  }
  for (const uint32_t place : order) {
    if (place == anchor || !g.chance(1, style.one_in)) continue;
    int64_t code = g.between(style.least, style.largest) * (style.one_sign || g.chance(1, 2) ? sign : -sign);
    if (std::abs(sum + code) > largest_sum) code = -code;
    if (group.put(place, code, budget)) sum += code;
  }
}

// Blocks that nothing quantizes again need no 127 units: their scales are written as they are.
bool scales_are_given(const DotShape& shape) {
  return has_scales(*shape.activation_type) && exact_limit(shape.accuracy) < 0x1p24;
}

// The power of two that a group of activations counts in.
uint32_t unit_exponent(const Draw& draw, uint64_t group, uint64_t row) {
  return thue_morse(3 * group + 1 + draw.number + row);
}

void put_given_blocks(const Draw& draw, uint64_t row, std::span<const float> values, std::byte* at) {
  const TensorType& type = *draw.shape.activation_type;
  const auto codes = std::find_if(type.codec->fields.begin(), type.codec->fields.end(),
                                  [](const BlockField& field) { return field.role == FieldRole::code; });
  for (uint64_t block = 0; block * type.block_elements < values.size(); ++block, at += type.block_bytes) {
    const uint32_t exponent = unit_exponent(draw, block, row);
    set_scale(type, at, 0, scale_bits(type, static_cast<int>(exponent)));
    for (uint64_t i = 0; i < type.block_elements; ++i) {
      const float code = values[block * type.block_elements + i] / static_cast<float>(1u << exponent);
      at[codes->offset + i] = static_cast<std::byte>(static_cast<int8_t>(code));
    }
    set_block_sums(type, at);
  }
}

bool put_activation_row(const Draw& draw, const Costs& costs, uint64_t row, std::span<float> values) {
  const DotShape& shape = draw.shape;
  Generator g = draw.activations(row);
  const Style& style = kStyles[(draw.number + row) % std::size(kStyles)];
  const uint32_t quantized = activation_group(*shape.activation_type, shape.accuracy, shape.k);
  // The sum of a block of Q8_1 must be an integer that f16 holds.
  const bool summed =
      shape.activation_type->id == tensor::q8_1 || shape.accuracy.activation == Activation::q8_1;
  const int64_t largest_sum = summed ? 1000 : INT64_MAX;
  const uint64_t size = std::min<uint64_t>(quantized == 0 ? 32 : quantized, shape.k);
  std::vector<uint32_t> order((shape.k + size - 1) / size);
  shuffle(order, g);
  double budget = exact_limit(shape.accuracy) - 1;
  for (const uint32_t number : order) {
    const uint64_t begin = number * size;
    Group group(costs, values, begin, unit_exponent(draw, number, row));
    if (shape.accuracy.activation_offset)
      put_offset_group(group, std::min(size, shape.k - begin), style, g, budget);
    else
      put_group(group, std::min(size, shape.k - begin), quantized != 0 && !scales_are_given(shape), largest_sum, style,
                g, budget);
  }
  const auto some = [&] { return std::any_of(values.begin(), values.end(), [](float x) { return x != 0; }); };
  // Sparse styles may leave out every place of a short row.
  for (uint64_t place = 0; quantized == 0 && !some() && place < shape.k; ++place)
    Group(costs, values, place, 0).put(0, 1, budget);
  return some();
}

}  // namespace

uint32_t thue_morse(uint64_t index) { return static_cast<uint32_t>(std::popcount(index)) & 1; }

const char* draw_exact(const Draw& draw, Operands& operands) {
  const DotShape& shape = draw.shape;
  const double limit = exact_limit(shape.accuracy);
  const uint32_t group = activation_group(*shape.activation_type, shape.accuracy, shape.k);
  put_weight_rows(draw, operands, limit >= 0x1p24);
  if (limit <= 256 && group != 0 && !scales_are_given(shape)) put_anchor_places(draw, operands, group);
  const Costs costs = costs_of(shape, operands);
  std::vector<float> values(shape.k);
  for (uint64_t row = 0; row < shape.m; ++row) {
    std::fill(values.begin(), values.end(), 0.0f);
    if (!put_activation_row(draw, costs, row, values)) return "no activation fits the sum's format exactly";
    std::byte* at = operands.activations.data() + row * row_bytes(*shape.activation_type, shape.k);
    scales_are_given(shape) ? put_given_blocks(draw, row, values, at) : put_activations(shape, values, at);
  }
  return nullptr;
}

}  // namespace gcts::draws
