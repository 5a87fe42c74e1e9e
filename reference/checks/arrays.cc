// Checks of arrays.

#include <fmt/format.h>

#include <algorithm>

#include "reference/check.h"
#include "reference/quote.h"

namespace gcts {
namespace {

// Finds the first bool of a value, at any depth, that is neither 0 nor 1.
class BoolVisitor : public ValueVisitor {
 public:
  void scalars(ValueType type, uint64_t, std::span<const std::byte> bytes, Layout) override {
    if (bad_ != nullptr || type != ValueType::boolean) return;
    const auto it = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
    if (it != bytes.end()) bad_ = &*it;
  }
  void string(std::string_view) override {}
  void array_begin(ValueType, uint64_t) override {}
  void array_end() override {}

  const std::byte* bad() const { return bad_; }

 private:
  const std::byte* bad_ = nullptr;
};

}  // namespace

void check_bool_array_zero_or_one(const Reading& reading, Findings& findings) {
  for (const KeyValueView& pair : reading.metadata) {
    const ValueView& v = pair.value;
    if (v.type != ValueType::array) continue;
    if (v.element_type != ValueType::boolean && v.element_type != ValueType::array) continue;
    BoolVisitor visitor;
    visit(v, visitor);
    if (visitor.bad() == nullptr) continue;
    const auto within = static_cast<uint64_t>(visitor.bad() - v.bytes.data());
    findings.add(rule::bool_array_zero_or_one, v.offset + within,
                 fmt::format("an element of the bool array {} is {}; a bool is 0 or 1", quote(pair.key),
                             static_cast<unsigned>(*visitor.bad())));
  }
}

}  // namespace gcts
