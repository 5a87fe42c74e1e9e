// Faults in what a reader makes of metadata values: scalars, arrays, byte order.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "plugins/faulty/fault.h"
#include "plugins/faulty/harm.h"

namespace gcts::fault {
namespace {

template <typename T>
ReaderHooks& report_through(ReaderHooks& hooks) {
  hooks.reporter = [](const gcts_sink& to) { return std::make_unique<T>(to); };
  return hooks;
}

// Passes scalars of one type through a function.
template <typename T, uint32_t kType, T (*kChange)(T)>
class Converter final : public Reporter {
 public:
  using Reporter::Reporter;
  void scalars(uint32_t type, const void* values, uint64_t count) override {
    if (type != kType) return Reporter::scalars(type, values, count);
    std::vector<T> changed(count);
    if (count > 0) std::memcpy(changed.data(), values, count * sizeof(T));
    for (T& value : changed) value = kChange(value);
    Reporter::scalars(type, changed.data(), count);
  }
};

uint64_t through_double(uint64_t value) {
  const double rounded = static_cast<double>(value);
  return rounded >= 0x1p64 ? std::numeric_limits<uint64_t>::max() : static_cast<uint64_t>(rounded);
}

uint32_t quieted(uint32_t bits) {
  const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
  return is_nan ? 0x7FC00000 : bits;
}

uint32_t without_minus_zero(uint32_t bits) { return bits == 0x80000000 ? 0 : bits; }

uint64_t without_subnormals(uint64_t bits) {
  return bits & 0x7FF0000000000000 ? bits : bits & 0x8000000000000000;
}

uint8_t one_if_not_zero(uint8_t byte) { return byte != 0; }
uint8_t one_if_one(uint8_t byte) { return byte == 1; }

// Knows which key the values belong to.
class ByKey : public Reporter {
 public:
  using Reporter::Reporter;
  void key(std::string_view key) override {
    key_ = key;
    Reporter::key(key);
  }

 protected:
  std::string_view key_;
};

// Knows how deep in arrays the values lie.
class Nested : public Reporter {
 public:
  using Reporter::Reporter;
  void array_begin(uint32_t type, uint64_t count) override {
    ++depth_;
    Reporter::array_begin(type, count);
  }
  void array_end() override {
    --depth_;
    Reporter::array_end();
  }

 protected:
  uint32_t depth_ = 0;
};

uint32_t size_of(uint32_t type) { return scalar_bytes(static_cast<ValueType>(type)); }

void refuse(Reading& reading, uint64_t offset, const char* why) {
  reading.findings.add(rule::value_type_known, offset, why);
}

bool is_nested(const ValueView& value) {
  return value.type == ValueType::array && value.element_type == ValueType::array;
}

// How deep arrays are nested, following the first element of each.
uint64_t depth_of(const ValueView& value) {
  struct Depth final : ValueVisitor {
    uint64_t now = 0, most = 0;
    void scalars(ValueType, uint64_t, std::span<const std::byte>, Layout) override {}
    void string(std::string_view) override {}
    void array_begin(ValueType, uint64_t) override { most = std::max(most, ++now); }
    void array_end() override { --now; }
  } depth;
  visit(value, depth);
  return depth.most;
}

}  // namespace

// ----------------------------------- Scalars ----------------------------------

void value_type_unchecked(ReaderHooks& hooks) { hooks.ignore(rule::value_type_known); }
void scalar_zero_filled(ReaderHooks& hooks) { hooks.ignore(rule::scalar_complete); }

void uint64_through_double(ReaderHooks& hooks) {
  report_through<Converter<uint64_t, GCTS_UINT64, through_double>>(hooks);
}

void int16_reported_as_uint16(ReaderHooks& hooks) {
  class AsUnsigned final : public Reporter {
   public:
    using Reporter::Reporter;
    void scalars(uint32_t type, const void* values, uint64_t count) override {
      Reporter::scalars(type == GCTS_INT16 ? uint32_t{GCTS_UINT16} : type, values, count);
    }
  };
  report_through<AsUnsigned>(hooks);
}

void float_nan_payload_lost(ReaderHooks& hooks) { report_through<Converter<uint32_t, GCTS_FLOAT32, quieted>>(hooks); }

void float_minus_zero_lost(ReaderHooks& hooks) {
  report_through<Converter<uint32_t, GCTS_FLOAT32, without_minus_zero>>(hooks);
}

void float_subnormals_flushed(ReaderHooks& hooks) {
  report_through<Converter<uint64_t, GCTS_FLOAT64, without_subnormals>>(hooks);
}

void bool_normalised(ReaderHooks& hooks) {
  hooks.ignore(rule::bool_is_zero_or_one);
  report_through<Converter<uint8_t, GCTS_BOOL, one_if_not_zero>>(hooks);
}

void bool_other_than_one_is_false(ReaderHooks& hooks) {
  hooks.ignore(rule::bool_all_ones);
  report_through<Converter<uint8_t, GCTS_BOOL, one_if_one>>(hooks);
}

void bool_array_unchecked(ReaderHooks& hooks) { hooks.ignore(rule::bool_array_zero_or_one); }

// 17 is mostly q5_k; the published list has mostly q4_k at 15.
void file_type_17_taken_for_q4_k(ReaderHooks& hooks) {
  class Renamed final : public ByKey {
   public:
    using ByKey::ByKey;
    void scalars(uint32_t type, const void* values, uint64_t count) override {
      uint32_t value = 0;
      if (key_ == "general.file_type" && type == GCTS_UINT32 && count == 1) std::memcpy(&value, values, sizeof value);
      const uint32_t taken_for = 15;
      Reporter::scalars(type, value == 17 ? &taken_for : values, count);
    }
  };
  report_through<Renamed>(hooks);
}

// ----------------------------------- Arrays -----------------------------------

void array_element_type_unchecked(ReaderHooks& hooks) { hooks.ignore(rule::array_element_type_known); }
void array_end_unchecked(ReaderHooks& hooks) { hooks.ignore(rule::array_fits_file); }

void array_product_wraps(ReaderHooks& hooks) {
  hooks.on_reject = [](const Finding& finding, std::span<const std::byte>) -> std::optional<gcts_status> {
    if (finding.rule == rule::array_size_representable) overrun_stack_array(uint64_t{1} << 24);
    return std::nullopt;
  };
}

void array_count_allocated(ReaderHooks& hooks) {
  hooks.on_reject = [](const Finding& finding, std::span<const std::byte>) -> std::optional<gcts_status> {
    if (finding.rule == rule::array_fits_file) occupy_memory();
    return std::nullopt;
  };
}

// An element of unknown type has no size, so the position never moves.
void array_of_unknown_skipped_forever(ReaderHooks& hooks) {
  hooks.on_reject = [](const Finding& finding, std::span<const std::byte>) -> std::optional<gcts_status> {
    if (finding.rule == rule::array_element_type_known) spin();
    return std::nullopt;
  };
}

void nested_array_refused(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    for (const KeyValueView& pair : reading.metadata)
      if (is_nested(pair.value)) refuse(reading, pair.offset, "an array of arrays");
  };
}

void nested_types_taken_from_first(ReaderHooks& hooks) {
  class FirstType final : public Nested {
   public:
    using Nested::Nested;
    void array_begin(uint32_t type, uint64_t count) override {
      if (depth_ == 1 && !inner_) inner_ = type;
      Nested::array_begin(depth_ == 1 ? *inner_ : type, count);
    }
    void array_end() override {
      Nested::array_end();
      if (depth_ == 0) inner_.reset();
    }

   private:
    std::optional<uint32_t> inner_;
  };
  report_through<FirstType>(hooks);
}

void nested_array_recursion(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    for (const KeyValueView& pair : reading.metadata)
      if (is_nested(pair.value)) recurse(depth_of(pair.value));
  };
}

void array_count_taken_for_bytes(ReaderHooks& hooks) {
  class CountBytes final : public Nested {
   public:
    using Nested::Nested;
    void array_begin(uint32_t type, uint64_t count) override {
      Nested::array_begin(type, size_of(type) ? count / size_of(type) : count);
    }
    void scalars(uint32_t type, const void* values, uint64_t count) override {
      Nested::scalars(type, values, depth_ > 0 ? count / size_of(type) : count);
    }
  };
  report_through<CountBytes>(hooks);
}

void empty_array_type_lost(ReaderHooks& hooks) {
  class NoType final : public Reporter {
   public:
    using Reporter::Reporter;
    void array_begin(uint32_t type, uint64_t count) override { Reporter::array_begin(count > 0 ? type : 0, count); }
  };
  report_through<NoType>(hooks);
}

void empty_strings_of_array_lost(ReaderHooks& hooks) {
  class NotEmpty final : public Nested {
   public:
    using Nested::Nested;
    void string(std::string_view value) override {
      if (depth_ == 0 || !value.empty()) Nested::string(value);
    }
  };
  report_through<NotEmpty>(hooks);
}

void long_array_reported_empty(ReaderHooks& hooks) {
  class Elided final : public Nested {
   public:
    using Nested::Nested;
    void array_begin(uint32_t type, uint64_t count) override {
      if (depth_ == 0) elided_ = count > 1024;
      Nested::array_begin(type, elided_ && depth_ == 0 ? 0 : count);
    }
    void scalars(uint32_t type, const void* values, uint64_t count) override {
      if (depth_ == 0 || !elided_) Nested::scalars(type, values, count);
    }
    void string(std::string_view value) override {
      if (depth_ == 0 || !elided_) Nested::string(value);
    }

   private:
    bool elided_ = false;
  };
  report_through<Elided>(hooks);
}

void token_types_read_as_bytes(ReaderHooks& hooks) {
  class AsBytes final : public ByKey {
   public:
    using ByKey::ByKey;
    void array_begin(uint32_t type, uint64_t count) override {
      Reporter::array_begin(is_types() ? uint32_t{GCTS_INT8} : type, count);
    }
    void scalars(uint32_t type, const void* values, uint64_t count) override {
      Reporter::scalars(is_types() ? uint32_t{GCTS_INT8} : type, values, count);
    }

   private:
    bool is_types() const { return key_ == "tokenizer.ggml.token_type"; }
  };
  report_through<AsBytes>(hooks);
}

// Lists of objects: each element costs many times its size in the file.
void array_elements_boxed(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    for (const KeyValueView& pair : reading.metadata)
      if (pair.value.type == ValueType::array) occupy_for_a_moment(std::min(pair.value.count, uint64_t{1} << 25) * 64);
  };
}

// --------------------------------- Byte order ---------------------------------

void big_endian_refused(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    if (reading.layout.order == ByteOrder::big) refuse(reading, 4, "an unknown version");
  };
}

// Headers are swapped, array elements are taken as they stand.
void big_endian_elements_not_swapped(ReaderHooks& hooks) {
  class Swapped final : public Nested {
   public:
    using Nested::Nested;
    void header(uint32_t version, int big_endian, uint32_t alignment) override {
      big_endian_ = big_endian != 0;
      Nested::header(version, big_endian, alignment);
    }
    void scalars(uint32_t type, const void* values, uint64_t count) override {
      const uint32_t size = size_of(type);
      std::vector<uint8_t> bytes(count * size);
      if (!bytes.empty()) std::memcpy(bytes.data(), values, bytes.size());
      if (big_endian_ && depth_ > 0)
        for (size_t at = 0; at < bytes.size(); at += size)
          std::reverse(&bytes[at], &bytes[at] + size);
      Nested::scalars(type, bytes.data(), count);
    }

   private:
    bool big_endian_ = false;
  };
  report_through<Swapped>(hooks);
}

void big_endian_text_swapped(ReaderHooks& hooks) {
  class Reversed final : public Reporter {
   public:
    using Reporter::Reporter;
    void header(uint32_t version, int big_endian, uint32_t alignment) override {
      big_endian_ = big_endian != 0;
      Reporter::header(version, big_endian, alignment);
    }
    void string(std::string_view value) override {
      std::string text(value);
      for (size_t at = 0; big_endian_ && at + 4 <= text.size(); at += 4) std::reverse(&text[at], &text[at] + 4);
      Reporter::string(text);
    }

   private:
    bool big_endian_ = false;
  };
  report_through<Reversed>(hooks);
}

void mixed_byte_order_accepted(ReaderHooks& hooks) { hooks.ignore(rule::byte_order_uniform); }
void version_1_with_wide_counts(ReaderHooks& hooks) { hooks.ignore(rule::version_1_widths); }

}  // namespace gcts::fault
