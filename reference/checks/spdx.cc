// Recognises the grammar of SPDX licence expressions.

#include "reference/checks/spdx.h"

#include <algorithm>
#include <cstdint>

namespace gcts {
namespace {

bool is_id(std::string_view word) {
  if (word.ends_with('+')) word.remove_suffix(1);
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !word.empty() && alphanumeric(word.front()) && std::all_of(word.begin(), word.end(), [&](char c) {
    return alphanumeric(c) || c == '.' || c == '-' || c == ':';
  }) && word.find("://") == word.npos;
}

bool is_operator(std::string_view word) { return word == "AND" || word == "OR" || word == "WITH"; }

// The next word or parenthesis, taken off the front of `rest`; empty at the end.
std::string_view next_token(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(' ')));
  const bool parenthesis = !rest.empty() && (rest.front() == '(' || rest.front() == ')');
  const size_t size = parenthesis ? 1 : std::min(rest.size(), rest.find_first_of(" ()"));
  const std::string_view token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

}  // namespace

bool is_spdx_expression(std::string_view text) {
  bool operand_due = true;
  uint64_t depth = 0;
  for (std::string_view token; !(token = next_token(text)).empty();) {
    if (token == "(") {
      if (!operand_due) return false;
      ++depth;
    } else if (token == ")") {
      if (operand_due || depth-- == 0) return false;
    } else if (operand_due) {
      if (is_operator(token) || !is_id(token)) return false;
      operand_due = false;
    } else {
      if (!is_operator(token)) return false;
      operand_due = true;
    }
  }
  return !operand_due && depth == 0;
}

}  // namespace gcts
