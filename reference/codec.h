// What the bytes of a block mean.
//
// A codec is the reference for one tensor type: it decodes blocks to the f32 bits
// that every implementation must give, encodes where a reference quantizer is
// defined, and says which bytes are not legal.  Each stands in codecs/<type>.cc
// under a head comment with its layout and formula.
//
// Bits.  The same input gives the same output bits from every compiler, at every
// optimisation level and for every instruction set: each written operator is one
// rounded f32 operation, never contracted into a fused multiply-add (the build
// sets -ffp-contract=off), subnormals are kept, and no function of the C library
// is used whose result the C standard leaves open.  The one exception is NaN:
// an element is NaN or it is not, but its sign and payload are the processor's
// (those of F32, F16 and BF16 tensors pass through as they are).
// Integers are widened to 32 bits before any arithmetic, and codes are never
// narrowed to int8 after a subtraction: GCC 12 vectorises that pattern wrongly
// for AVX-512 VNNI.
//
// Byte order.  Blocks are little-endian, on any host.  Big-endian files hold the
// multi-byte fields of a block swapped; `fields` says where those are, and
// swap_fields() turns one order into the other.
//
// Quantizing.  A NaN never wins a search for a largest or smallest element, and
// the integer nearest to NaN is 0, so most types lose it; an infinite element
// makes an f16 scale infinite, which validate() reports.  A float outside an
// integer's range converts to the nearest end of the range.  Quantizers of
// different types treat ties, clamps and zero blocks each in its own way; the
// head comment of the type says how.  Those that search give legal blocks for
// any input: what is not an ordinary number saturates (codecs/search_block.h).
//
// Legal bytes.  Illegal for everyone is what poisons every dot product over the
// block: a scale or offset, or a plain value, that is NaN or infinite.  Only
// under --strict (`strict_only`) counts what implementations read differently
// or what no quantizer writes:
//   f64     finite values beyond the range of f32
//   mxfp4   scale byte 255: NaN in the OCP definition, 2^127 doubled in ggml's decoder
//   nvfp4   scale bytes 0x7f (NaN or 0) and 0x80 and above (bit 7 ignored, a sign, or NaN)
//   tq1_0   bytes that are not the canonical one for their digits
//   q8_k    block sums that are not the sums of the codes
// Codes that no quantizer emits but every decoder reads alike are legal.

#ifndef GCTS_REFERENCE_CODEC_H_
#define GCTS_REFERENCE_CODEC_H_

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/tensor_type.h"

#ifdef __FAST_MATH__
#error "The reference must not be built with -ffast-math: its results would depend on the compiler."
#endif
static_assert(FLT_EVAL_METHOD == 0, "f32 operations must round to f32");

namespace gcts {

// Why a block is not legal.  Null: the block is legal.
struct BlockFault {
  const char* what = nullptr;  // "scale d is NaN"
  uint32_t byte = 0;           // offset of the byte in the block
  bool strict_only = false;    // implementations disagree: counted only under --strict
};

// How a number is written in a block.
enum class NumberFormat : uint8_t { u8, i8, u16, i16, u32, i32, i64, f16, bf16, f32, f64, e8m0, ue4m3 };
uint32_t number_bytes(NumberFormat format);

// What a field is for.
enum class FieldRole : uint8_t {
  value,     // the elements themselves (plain types)
  scale,     // factor of the codes, in a format of its own; u16: four words that also hold
             // four 3-bit refinements each and, in their top four bits, an f16, lowest first
  min,       // offset added or subtracted, in a format of its own
  sum,       // redundant: computed from the codes
  subscale,  // packed integers that refine scale and min
  code,      // packed codes, high bits, grid indices, signs: every byte is legal
};

// One field of a block: `count` numbers of one format from byte `offset` on.
struct BlockField {
  const char* name;
  FieldRole role;
  NumberFormat format;
  uint32_t offset;
  uint32_t count;
};

struct Codec {
  // The fields in byte order; together they cover the block without gaps.
  std::span<const BlockField> fields;
  // blocks -> count values.  count is a multiple of block_elements.
  void (*dequantize)(const std::byte* blocks, float* values, uint64_t count);
  // values -> blocks, null where no reference quantizer is defined.  importance: one
  // weight an element, or null for all ones; only the types say so that use it.
  void (*quantize)(const float* values, const float* importance, std::byte* blocks, uint64_t count);
  // The first fault of one block that is illegal for everyone; with none of those,
  // the first strict_only fault.
  BlockFault (*validate)(const std::byte* block);
  // The index of the first of block_count blocks that validate() finds fault with
  // (strict_only faults only if strict), or block_count.  As fast as memory.
  uint64_t (*scan)(const std::byte* blocks, uint64_t block_count, bool strict);
  // quantize() searches for a small error: other implementations may rightly find other
  // blocks.  Without a search there is one right answer.
  bool searches = false;
};

// Reverses the bytes of every number of block_count blocks in place: little-endian
// to big-endian and back.
void swap_fields(const Codec& codec, std::byte* blocks, uint64_t block_count);

// The codecs, one a row of tensor_types.inc that is current.
namespace codec {
#define GCTS_CODEC_current(name) extern const Codec name;
#define GCTS_CODEC_removed(name)
#define TENSOR_TYPE(id, name, elements, bytes, status) GCTS_CODEC_##status(name)
#include "reference/tensor_types.inc"
#undef TENSOR_TYPE
#undef GCTS_CODEC_current
#undef GCTS_CODEC_removed
}  // namespace codec

}  // namespace gcts

#endif  // GCTS_REFERENCE_CODEC_H_
