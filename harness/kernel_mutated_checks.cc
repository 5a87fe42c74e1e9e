// The check mutated: weights that no quantizer writes.
//
// The blocks of a call begin as random ones and are changed in the way of the files of
// format/mutated: bits, bytes and runs of them, fields taken from other blocks, whole
// blocks anew.  A change stays if the block is legal for everyone, strictly, and stands
// for values that a sum has room for.  Nothing else is asked of it: codes, sub-scales,
// signs and grid indices are whatever came.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "harness/kernel_operands.h"
#include "reference/codec.h"

namespace gcts {
namespace {

// A case is so many calls, and a tier so many cases.
constexpr uint64_t kCalls = 8;
constexpr uint64_t kInSmoke = 1, kInFull = 25, kInExhaustive = 250;

// Beyond this, sums of a few thousand products with activations of any kind may leave
// f32, and nothing can be said about them.
constexpr float kLargest = 0x1p60f;

bool is_fit(const TensorType& type, const std::byte* block, std::vector<float>& values) {
  if (type.codec->validate(block).what != nullptr) return false;
  values.resize(type.block_elements);
  type.codec->dequantize(block, values.data(), values.size());
  return std::all_of(values.begin(), values.end(), [](float v) { return std::fabs(v) <= kLargest; });
}

void fill_run(std::byte* block, uint64_t size, Generator& random) {
  constexpr std::byte kEnds[] = {std::byte{0}, std::byte{0xff}, std::byte{0x7f}, std::byte{0x80}, std::byte{1}};
  const uint64_t at = random.below(size), count = 1 + random.below(size - at);
  std::fill_n(block + at, count, kEnds[random.below(std::size(kEnds))]);
}

// One of a block's fields as another block has it.
void take_field(const TensorType& type, std::byte* block, const std::byte* other, Generator& random) {
  const BlockField& field = type.codec->fields[random.below(type.codec->fields.size())];
  std::memcpy(block + field.offset, other + field.offset, field.count * number_bytes(field.format));
}

void change(const TensorType& type, std::byte* block, const std::byte* other, Generator& random) {
  std::byte& one = block[random.below(type.block_bytes)];
  switch (random.below(6)) {
    case 0: one ^= static_cast<std::byte>(1u << random.below(8)); break;
    case 1: one = static_cast<std::byte>(random.next()); break;
    case 2: fill_run(block, type.block_bytes, random); break;
    case 3: take_field(type, block, other, random); break;
    case 4: std::reverse(block, block + type.block_bytes); break;
    default: random.fill(block, type.block_bytes);
  }
}

// Changes each block once to three times.
void mutate_blocks(const TensorType& type, std::vector<std::byte>& blocks, Generator random) {
  const uint64_t count = blocks.size() / type.block_bytes;
  std::vector<std::byte> changed(type.block_bytes);
  std::vector<float> values;
  for (uint64_t i = 0; i < count; ++i) {
    std::byte* block = blocks.data() + i * type.block_bytes;
    for (uint64_t times = 1 + random.below(3); times > 0; --times) {
      std::copy_n(block, type.block_bytes, changed.begin());
      change(type, changed.data(), blocks.data() + random.below(count) * type.block_bytes, random);
      if (is_fit(type, changed.data(), values)) std::copy(changed.begin(), changed.end(), block);
    }
  }
}

std::string add_calls(const KernelRow& row, const Generator& generator, std::vector<KernelJob>& jobs) {
  std::string why;
  for (uint64_t call = 0; call < kCalls; ++call) {
    const KernelInputs drawn =
        draw_input(row, small_shape(row), pattern::random_blocks, generator.stream("operands"), call, why);
    if (!drawn) return why;
    auto input = std::make_shared<KernelInput>(*drawn);
    mutate_blocks(*row.type, input->operands.weights, generator.stream("mutation").stream(call));
    if (row.op == GCTS_OP_DEQUANTIZE)
      row.type->codec->dequantize(input->operands.weights.data(), reinterpret_cast<float*>(input->expected.data()),
                                  input->shape.k);
    jobs.push_back(usual_job(row, std::move(input)));
  }
  return "";
}

}  // namespace

void add_mutated(const KernelRow& row, KernelCaseList& cases) {
  const uint64_t count = cases.smoke() ? kInSmoke : cases.tier() == Tier::full ? kInFull : kInExhaustive;
  for (uint64_t n = 0; n < count; ++n)
    cases.add("mutated", fmt::format("{}", n),
              [&row](const Generator& g, std::vector<KernelJob>& jobs) { return add_calls(row, g, jobs); });
}

}  // namespace gcts
