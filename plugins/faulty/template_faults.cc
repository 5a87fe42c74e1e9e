// Faults in the template's reader: one of its primitives replaced.

#include "plugins/faulty/template_hooks.h"

#include "plugins/faulty/fault.h"

namespace gcts::fault {

// A type id is thought to be one byte.
void value_types_one_byte(template_hooks& hooks) {
  hooks.take_value_type = [](bytes* b, uint32_t* v) {
    uint64_t id = 0;
    const bool there = take_unsigned(b, 1, &id);
    *v = static_cast<uint32_t>(id);
    return there;
  };
}

void string_lengths_32_bits(template_hooks& hooks) {
  hooks.take_string = [](bytes* b, gcts_string* s) {
    uint64_t size = 0;
    const uint8_t* p = take_unsigned(b, 4, &size) ? take(b, size) : nullptr;
    *s = {reinterpret_cast<const char*>(p), p ? static_cast<size_t>(size) : 0};
    return p != nullptr;
  };
}

// The length is cut to 32 bits after it was read, so 2^32 + 4 is a string of four.
void string_length_truncated(template_hooks& hooks) {
  hooks.take_string = [](bytes* b, gcts_string* s) {
    uint64_t size = 0;
    const uint8_t* p = take_u64(b, &size) ? take(b, static_cast<uint32_t>(size)) : nullptr;
    *s = {reinterpret_cast<const char*>(p), p ? static_cast<uint32_t>(size) : 0};
    return p != nullptr;
  };
}

void strings_terminated(template_hooks& hooks) {
  hooks.take_string = [](bytes* b, gcts_string* s) { return take_string(b, s) && take(b, 1) != nullptr; };
}

// The bound is tested on a sum that wraps.
void string_bound_wraps(template_hooks& hooks) {
  hooks.take_string = [](bytes* b, gcts_string* s) {
    uint64_t size = 0;
    if (!take_u64(b, &size) || b->at + size > b->size) return false;
    *s = {reinterpret_cast<const char*>(b->data) + b->at, static_cast<size_t>(size)};
    b->at += size;
    return true;
  };
}

void k_quant_blocks_of_32(template_hooks& hooks) {
  hooks.block_of = [](uint32_t type) {
    block b = block_of(type);
    if (b.elements == 256) b = {32, static_cast<uint16_t>(b.bytes / 8)};
    return b;
  };
}

void bytes_of_array_taken_for_words(template_hooks& hooks) {
  hooks.scalar_size = [](uint32_t type) {
    return type == GCTS_UINT8 || type == GCTS_INT8 || type == GCTS_BOOL ? 4u : scalar_size(type);
  };
}

// alignment - position % alignment, without the case of a remainder of 0.
void padding_never_zero(template_hooks& hooks) {
  hooks.round_up = [](uint64_t v, uint64_t alignment, uint64_t* rounded) {
    *rounded = v + (alignment - v % alignment);
    return *rounded >= v;
  };
}

// A bit mask, right for powers of two alone.
void padding_by_bit_mask(template_hooks& hooks) {
  hooks.round_up = [](uint64_t v, uint64_t alignment, uint64_t* rounded) {
    *rounded = (v + alignment - 1) & ~(alignment - 1);
    return *rounded >= v;
  };
}

void product_wraps(template_hooks& hooks) {
  hooks.multiply = [](uint64_t a, uint64_t b, uint64_t* product) {
    *product = a * b;
    return true;
  };
}

// Numbers are read in the byte order of the host.
void numbers_in_host_order(template_hooks& hooks) {
  hooks.take_u32 = [](bytes* b, uint32_t* v) {
    const uint8_t* p = take(b, 4);
    if (p) memcpy(v, p, 4);
    return p != nullptr;
  };
}

void dimensions_32_bits(template_hooks& hooks) {
  hooks.take_u64 = [](bytes* b, uint64_t* v) {
    const bool there = take_u64(b, v);
    *v = static_cast<uint32_t>(*v);
    return there;
  };
}

}  // namespace gcts::fault
