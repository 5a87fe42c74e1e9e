// Random numbers that depend on nothing but a seed, a case and an index.
//
// Every case draws its data from a generator keyed by (seed, case id).  Number i of a
// stream is a function of the key and of i alone, so that data are the same however
// the cases are sharded, ordered or spread over threads, and one failing case can be
// run by itself.  All results come from integer arithmetic and correctly rounded
// float operations: they are the same on every machine.
//
// A number is two rounds of a 64-bit finalizer (multiply, xor-shift) over the counter,
// with one half of the 128-bit key entering before each round, so that the streams of
// two keys are unrelated and not shifted copies of each other.

#ifndef GCTS_REFERENCE_GENERATOR_H_
#define GCTS_REFERENCE_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gcts {

class Generator {
 public:
  explicit Generator(uint64_t seed, std::string_view case_id = {});

  // An unrelated stream of the same case: one for each operand, row or block, so that
  // no part of a case depends on how much another part has drawn.
  Generator stream(uint64_t number) const;
  Generator stream(std::string_view name) const;

  // Number `index` of the stream; next() walks it from 0.
  uint64_t at(uint64_t index) const;
  uint64_t next() { return at(index_++); }

  // In [0, n), n > 0.  The bias is below n / 2^64.
  uint64_t below(uint64_t n);
  // In [low, high].
  int64_t between(int64_t low, int64_t high);
  bool chance(uint32_t numerator, uint32_t denominator) { return below(denominator) < numerator; }

  // In [0, 1), a multiple of 2^-24.
  float unit();
  // In [low, high).
  float uniform(float low, float high) { return low + (high - low) * unit(); }
  // Mean 0, deviation 1: the sum of twelve uniform numbers, so never beyond 6 in
  // magnitude, and without a call to a math library whose last bit may differ.
  float normal();
  // normal() divided by the square root of a uniform number: Student's t with about two
  // degrees of freedom, cut at 6 * 2^12.
  float heavy_tailed();
  // normal() times two to a random power of [low, high].
  float spread(int low, int high);

  void fill(std::byte* bytes, size_t size);

 private:
  Generator(uint64_t before, uint64_t between) : before_(before), between_(between) {}

  uint64_t before_, between_;  // the key
  uint64_t index_ = 0;
};

}  // namespace gcts

#endif  // GCTS_REFERENCE_GENERATOR_H_
