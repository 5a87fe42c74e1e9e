// Which bits of a block write which code and which sub-scale.
//
// Exact operands want chosen codes and small sub-scales in blocks of any type.  Instead of a
// second description of every layout, the bits are found by trying: flip one, and see which
// terms of the block change.  A bit that changes the code of one element is a code bit of that
// element; bits that several elements share (grid indices, base-three digits) belong to
// none.  A bit that changes the step or the min of one run is a bit of its sub-scale or
// sub-min.

#ifndef GCTS_REFERENCE_BLOCK_BITS_H_
#define GCTS_REFERENCE_BLOCK_BITS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/generator.h"
#include "reference/tensor_type.h"

namespace gcts {

class BlockBits {
 public:
  // Found on the first call for a type, in a few milliseconds.
  static const BlockBits& of(const TensorType& type);

  // The bits of an element's code: 0 if it shares them.
  size_t code_width(size_t element) const { return codes_[element].size(); }
  // Writes `number` into those bits, in an order of their own: a bijection, not the code.
  void set_code(std::byte* block, size_t element, uint32_t number) const;

  // Sub-scales of one to three times the smallest magnitude, of either sign, and sub-mins alike;
  // nothing for types without.
  void set_small_steps(std::byte* block, Generator& g) const;

 private:
  using Bits = std::vector<uint32_t>;  // positions in the block, ascending

  // The bits of a code that stand side by side in one byte; width 0 where they do not.
  struct Run {
    uint32_t byte = 0;
    uint8_t shift = 0, width = 0;
  };

  // One sub-scale or sub-min: its bits, and the settings of them that make it small.
  struct Field {
    Bits bits;
    std::vector<uint32_t> small;
  };

  explicit BlockBits(const TensorType& type);
  void find_bits(const TensorType& type);
  void find_small(const TensorType& type, Field& field, size_t element, bool is_min);
  static void write(std::byte* block, const Bits& bits, uint32_t number);

  std::vector<Bits> codes_;    // one an element
  std::vector<Run> code_runs_;
  std::vector<Field> scales_;  // one a run
  std::vector<Field> mins_;    // one a run
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_BLOCK_BITS_H_
