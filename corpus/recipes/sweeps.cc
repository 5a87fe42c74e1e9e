// Sweeps over numbers: scalars, counts, alignments and offsets.

#include <bit>
#include <string>
#include <vector>

#include "corpus/models.h"
#include "corpus/recipe.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

constexpr uint64_t kTwo63 = uint64_t{1} << 63;

struct Extreme {
  ValueType type;
  std::string_view name;
  uint64_t bits;
};

// The values that lose something on the way through a double, a signed number, a
// narrower type or a text.
// clang-format off
constexpr Extreme kExtremes[] = {
    {ValueType::uint8, "zero", 0}, {ValueType::uint8, "one", 1}, {ValueType::uint8, "127", 127}, {ValueType::uint8, "128", 128}, {ValueType::uint8, "max", 255},
    {ValueType::int8, "zero", 0}, {ValueType::int8, "minus_one", 0xff}, {ValueType::int8, "min", 0x80}, {ValueType::int8, "max", 0x7f},
    {ValueType::uint16, "zero", 0}, {ValueType::uint16, "256", 256}, {ValueType::uint16, "32768", 0x8000}, {ValueType::uint16, "max", 0xffff},
    {ValueType::int16, "zero", 0}, {ValueType::int16, "minus_one", 0xffff}, {ValueType::int16, "min", 0x8000}, {ValueType::int16, "max", 0x7fff},
    {ValueType::uint32, "zero", 0}, {ValueType::uint32, "two_to_24_plus_1", 0x1000001}, {ValueType::uint32, "two_to_31", 0x80000000}, {ValueType::uint32, "max", 0xffffffff},
    {ValueType::int32, "zero", 0}, {ValueType::int32, "minus_one", 0xffffffff}, {ValueType::int32, "min", 0x80000000}, {ValueType::int32, "max", 0x7fffffff},
    {ValueType::uint64, "zero", 0}, {ValueType::uint64, "two_to_32", uint64_t{1} << 32}, {ValueType::uint64, "two_to_53", uint64_t{1} << 53},
    {ValueType::uint64, "two_to_53_plus_1", (uint64_t{1} << 53) + 1}, {ValueType::uint64, "two_to_63", kTwo63}, {ValueType::uint64, "max", ~uint64_t{0}},
    {ValueType::int64, "zero", 0}, {ValueType::int64, "minus_one", ~uint64_t{0}}, {ValueType::int64, "min", kTwo63}, {ValueType::int64, "max", kTwo63 - 1},
    {ValueType::int64, "minus_two_to_53_minus_1", ~(uint64_t{1} << 53)}, {ValueType::int64, "minus_two_to_31_minus_1", ~uint64_t{0x80000000}},
    {ValueType::float32, "zero", 0}, {ValueType::float32, "minus_zero", 0x80000000}, {ValueType::float32, "subnormal_min", 1},
    {ValueType::float32, "subnormal_max", 0x007fffff}, {ValueType::float32, "normal_min", 0x00800000}, {ValueType::float32, "max", 0x7f7fffff},
    {ValueType::float32, "infinity", 0x7f800000}, {ValueType::float32, "minus_infinity", 0xff800000}, {ValueType::float32, "nan", 0x7fc00000},
    {ValueType::float32, "nan_payload", 0x7fd5aa55}, {ValueType::float32, "nan_negative", 0xffc00001}, {ValueType::float32, "nan_signalling", 0x7fa00000},
    {ValueType::float64, "zero", 0}, {ValueType::float64, "minus_zero", kTwo63}, {ValueType::float64, "subnormal_min", 1},
    {ValueType::float64, "subnormal_max", 0x000fffffffffffff}, {ValueType::float64, "normal_min", 0x0010000000000000}, {ValueType::float64, "max", 0x7fefffffffffffff},
    {ValueType::float64, "infinity", 0x7ff0000000000000}, {ValueType::float64, "minus_infinity", 0xfff0000000000000}, {ValueType::float64, "nan", 0x7ff8000000000000},
    {ValueType::float64, "nan_payload", 0x7ff8dead0000beef}, {ValueType::float64, "nan_negative", 0xfff8000000000001}, {ValueType::float64, "nan_signalling", 0x7ff4000000000000},
    {ValueType::float64, "pi", 0x400921fb54442d18}, {ValueType::boolean, "false", 0}, {ValueType::boolean, "true", 1},
};
// clang-format on

bool is_float(ValueType type) { return type == ValueType::float32 || type == ValueType::float64; }

}  // namespace

SWEEP(scalars) {
  std::vector<std::vector<Value>> by_type(kValueTypeCount);
  for (const Extreme& extreme : kExtremes) {
    const Value value = Value::scalar(extreme.type, extreme.bits);
    by_type[static_cast<uint32_t>(extreme.type)].push_back(value);
    File file = with("gcts.value", value);
    file.set("gcts.after", Value::u8(1));
    r.of(is_float(extreme.type) ? rule::float_bits : rule::integers_exact)
        .valid(std::string(value_type_name(extreme.type)) + "_" + std::string(extreme.name), file,
               "a value at a limit of its type or of a type it may pass through");
  }
  for (uint32_t id = 0; id < kValueTypeCount; ++id) {
    if (by_type[id].empty()) continue;
    const auto type = static_cast<ValueType>(id);
    File file = with("gcts.values", Value::array(type, by_type[id]));
    file.set("gcts.after", Value::u8(1));
    r.of(is_float(type) ? rule::float_bits : rule::array_layout)
        .valid("array_of_" + std::string(value_type_name(type)), file,
               "every extreme of the type in one array");
  }
}

SWEEP(counts) {
  // The counts of a file that holds one of each.
  File file = with_tensors({filled("weight", tensor::i8, {4, 8})});
  file.set("gcts.text", Value::string("abcdefgh"));
  file.set("gcts.bytes", Value::array(ValueType::uint8, {Value::u8(1), Value::u8(2)}));
  file.set("gcts.words", Value::strings({"ab", "c"}));
  r.of(rule::string_length_prefixed).valid("base", file, "one of each count and length, all right");
  constexpr struct {
    std::string_view name;
    FieldKind kind;
    uint32_t item;
    rule::Index above_63, huge, wide;  // broken from 2^63 on, from 2^62 on, and below
  } kFields[] = {
      {"tensor_count", FieldKind::tensor_count, 0, rule::tensor_count_range, rule::counts_fit_file,
       rule::counts_fit_file},
      {"pair_count", FieldKind::metadata_count, 0, rule::metadata_count_range, rule::counts_fit_file,
       rule::counts_fit_file},
      {"key_length", FieldKind::key_length, 1, rule::string_length_range, rule::string_length_fits_file,
       rule::string_length_fits_file},
      {"string_length", FieldKind::string_length, 1, rule::string_length_range, rule::string_length_fits_file,
       rule::string_length_fits_file},
      {"element_length", FieldKind::string_length, 3, rule::string_length_range,
       rule::string_length_fits_file, rule::string_length_fits_file},
      {"byte_count", FieldKind::element_count, 2, rule::array_fits_file, rule::array_fits_file,
       rule::array_fits_file},
      {"string_count", FieldKind::element_count, 3, rule::array_size_representable,
       rule::array_size_representable, rule::array_fits_file},
      {"name_length", FieldKind::name_length, 0, rule::string_length_range, rule::string_length_fits_file,
       rule::string_length_fits_file},
  };
  constexpr struct {
    std::string_view name;
    uint64_t value;
    bool above_63;  // 2^63 or more
  } kValues[] = {
      {"two_to_32", uint64_t{1} << 32, false},
      {"two_to_32_plus_1", (uint64_t{1} << 32) + 1, false},
      {"two_to_62", uint64_t{1} << 62, false},
      {"two_to_63_less_1", kTwo63 - 1, false},
      {"two_to_63", kTwo63, true},
      {"two_to_64_less_8", ~uint64_t{7}, true},
      {"all_ones", ~uint64_t{0}, true},
  };
  for (const auto& f : kFields)
    for (const auto& v : kValues)
      r.of(v.above_63                     ? f.above_63
           : v.value >= uint64_t{1} << 62 ? f.huge
                                          : f.wide)
          .broken(
              std::string(f.name) + "_" + std::string(v.name), "base",
              "a count or length that wraps in 32 or 64 bits, signed or not",
              [kind = f.kind, item = f.item, value = v.value](Written& w) { patch(w, kind, item, value); });
}

SWEEP(alignments) {
  const auto aligned = [](uint32_t alignment) {
    return [alignment](File& f) { f.set(kAlignmentKey, Value::u32(alignment)); };
  };
  File base = with_tensors({filled("first", tensor::i8, {5}), filled("second", tensor::f32, {3})});
  base.set(kAlignmentKey, Value::u32(32));
  r.of(rule::alignment_honoured).valid("base", base, "the default, said aloud");
  for (uint32_t alignment = 1; alignment <= 65'536; alignment *= 2) {
    const std::string name = "power_" + std::to_string(alignment);
    if (alignment < 8) {
      r.of(rule::alignment_multiple_of_8).broken(name, "base", "a power of two below 8", aligned(alignment));
      continue;
    }
    File file = base;
    aligned(alignment)(file);
    r.of(alignment < 65'536 ? rule::alignment_honoured : rule::alignment_large)
        .valid(name, file, "a power of two");
  }
  for (const uint32_t alignment : {24u, 40u, 56u, 72u, 96u, 120u, 1'000u, 4'104u, 65'528u})
    r.of(rule::alignment_power_of_two)
        .broken("multiple_" + std::to_string(alignment), "base", "a multiple of 8 and no power of two",
                aligned(alignment));
  r.of(rule::alignment_legal)
      .valid("base_without_tensors", with(kAlignmentKey, Value::u32(32)),
             "the default, and nothing to align");
  for (const uint32_t alignment :
       {3u, 5u, 6u, 9u, 10u, 15u, 17u, 31u, 33u, 63u, 65u, 4'095u, 65'535u, 65'537u})
    r.of(rule::alignment_legal)
        .broken("illegal_" + std::to_string(alignment), "base_without_tensors",
                "neither a power of two nor a multiple of 8", aligned(alignment));
  r.of(rule::alignment_not_zero)
      .broken("illegal_0", "base_without_tensors", "a division by zero", aligned(0));
}

SWEEP(offsets) {
  File file = with_tensors({filled("first", tensor::i8, {32}), filled("second", tensor::i8, {64}),
                            filled("third", tensor::i8, {32})});
  r.of(rule::offset_from_data_start).valid("base", file, "three tensors at 0, 32 and 96");
  const auto offset = [&](rule::Index broken, std::string_view name, uint32_t item, uint64_t value,
                          std::string_view comment) -> Draft& {
    return r.of(broken).broken(name, "base", comment, [item, value](Written& w) {
      patch(w, FieldKind::tensor_offset, item, value);
    });
  };
  for (const uint64_t value : {1u, 2u, 4u, 8u, 16u, 31u})
    offset(rule::tensor_offset_aligned, "first_" + std::to_string(value), 0, value,
           "the first tensor is not aligned");
  for (const uint64_t value : {33u, 34u, 36u, 40u, 48u, 63u})
    offset(rule::tensor_offset_aligned, "second_" + std::to_string(value), 1, value,
           "the second tensor is not aligned");
  for (const uint64_t value : {97u, 100u, 112u, 127u})
    offset(rule::tensor_offset_aligned, "third_" + std::to_string(value), 2, value,
           "the third tensor is not aligned");
  offset(rule::tensors_do_not_overlap, "second_on_first", 1, 0, "the second tensor begins at the first")
      .either("undefined");
  offset(rule::tensors_do_not_overlap, "third_on_first", 2, 0, "the third tensor lies on the first")
      .either("undefined");
  offset(rule::tensors_do_not_overlap, "third_in_second", 2, 64,
         "the third tensor lies on the end of the second")
      .either("undefined");
  for (const uint64_t value : {uint64_t{128}, uint64_t{160}, uint64_t{4096}, uint64_t{1} << 31,
                               uint64_t{1} << 32, uint64_t{1} << 48, uint64_t{1} << 62})
    offset(rule::tensor_in_file, "third_past_end_" + std::to_string(value), 2, value,
           "the third tensor lies past the end of the file");
  for (const uint64_t value : {~uint64_t{31}, ~uint64_t{63}, ~uint64_t{127}})
    offset(rule::tensor_end_representable, "third_wraps_" + std::to_string(~value + 1), 2, value,
           "start, offset and size wrap 64 bits");
}

}  // namespace gcts
