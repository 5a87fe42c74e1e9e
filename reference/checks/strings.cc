// Checks of string values.

#include <fmt/format.h>

#include "reference/check.h"
#include "reference/quote.h"
#include "reference/utf8.h"

namespace gcts {
namespace {

// Finds the first ill-formed string of a value.
class Utf8Visitor : public ValueVisitor {
 public:
  void scalars(ValueType, uint64_t, std::span<const std::byte>, Layout) override {}
  void string(std::string_view text) override {
    if (bad_ != nullptr) return;
    const size_t at = find_invalid_utf8(text);
    if (at == text.size()) return;
    bad_ = reinterpret_cast<const std::byte*>(text.data()) + at;
    text_ = text;
  }
  void array_begin(ValueType, uint64_t) override {}
  void array_end() override {}

  const std::byte* bad() const { return bad_; }
  std::string_view text() const { return text_; }

 private:
  const std::byte* bad_ = nullptr;
  std::string_view text_;
};

}  // namespace

void check_string_is_utf8(const Reading& reading, Findings& findings) {
  for (const KeyValueView& pair : reading.metadata) {
    const ValueView& v = pair.value;
    if (scalar_bytes(v.type) > 0 || (v.type == ValueType::array && scalar_bytes(v.element_type) > 0)) continue;
    Utf8Visitor visitor;
    visit(v, visitor);
    if (visitor.bad() == nullptr) continue;
    findings.add(rule::string_is_utf8, v.offset + static_cast<uint64_t>(visitor.bad() - v.bytes.data()),
                 fmt::format("the value of {} holds {}, which is not UTF-8", quote(pair.key), quote(visitor.text())));
  }
}

}  // namespace gcts
