// The verb explain: what a rule, tensor type, case or fault is, why it matters, where it
// comes from, and which cases show it.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "harness/case_source.h"
#include "harness/fault_table.h"
#include "harness/options.h"
#include "reference/rule.h"
#include "reference/tensor_type.h"
#include "reports/escape.h"

namespace gcts {
namespace {

constexpr size_t kCasesShown = 40;

void print_cases(const std::vector<const Case*>& cases, const char* title) {
  if (cases.empty()) return;
  fmt::print("{}:\n", title);
  for (size_t i = 0; i < std::min(cases.size(), kCasesShown); ++i) fmt::print("  {}\n", cases[i]->id);
  if (cases.size() > kCasesShown) fmt::print("  and {} more\n", cases.size() - kCasesShown);
}

std::vector<const Case*> all_cases(const std::function<bool(const Case&)>& wanted) {
  CaseRequest everything;
  everything.selection.skip = {"format/mutated"};  // those exercise what chance brings
  everything.tier = Tier::full;
  CaseList list;
  collect_cases(everything, list);
  std::vector<const Case*> out;
  for (const Case* c : list.all()) {
    if (wanted(*c)) out.push_back(c);
  }
  return out;
}

bool explain_rule(std::string_view name) {
  const Rule* rule = find_rule(name);
  if (!rule) return false;
  const auto index = static_cast<rule::Index>(rule - rules().data());
  fmt::print("rule {} ({}), level {}\n\n  {}\n\n", rule->name, rule->id, level_name(rule->level), rule->statement);
  fmt::print("  without it  {}\n  source      {}\n  shown by    {}\n  profiles    spec: {}, ggml: {}{}\n\n", rule->effect,
             rule->source, rule_kind_name(rule->kind), severity_name(rule->spec), severity_name(rule->ggml),
             rule->diverges() ? " (they differ)" : "");
  print_cases(all_cases([&](const Case& c) { return c.rule == index; }), "cases");
  print_cases(all_cases([&](const Case& c) {
                return c.rule != index && std::find(c.also.begin(), c.also.end(), index) != c.also.end();
              }),
              "exercised by the way");
  return true;
}

bool explain_type(std::string_view name) {
  const TensorType* type = find_tensor_type(name);
  if (!type) return false;
  fmt::print("tensor type {}, id {}\n\n", type->name, type->id);
  if (type->status == TensorStatus::removed) {
    fmt::print("  removed: no file may use it, and its id is not used again\n\n");
  } else {
    fmt::print("  a block of {} elements takes {} bytes: {:.4g} bits an element\n\n", type->block_elements,
               type->block_bytes, 8.0 * type->block_bytes / type->block_elements);
  }
  // Cases name the type as a word of its own: "tensor_types.q4_0_rank_2".
  const std::string word = "." + std::string(type->name);
  print_cases(all_cases([&](const Case& c) {
                const size_t at = c.id.find(word);
                return at != std::string::npos && (at + word.size() == c.id.size() || c.id[at + word.size()] == '_');
              }),
              "cases");
  return true;
}

bool explain_case(std::string_view id) {
  CaseRequest named;
  named.selection.run = {std::string(id)};
  CaseList found;
  collect_cases(named, found);
  const auto exact = std::find_if(found.all().begin(), found.all().end(), [&](const Case* c) { return c->id == id; });
  if (exact == found.all().end()) return false;
  const Case& c = **exact;
  fmt::print("case {}\n\n  {}\n\n", c.id, escape_terminal(c.comment));
  if (c.rule < rule::kCount) {
    const Rule& rule = rule_at(c.rule);
    fmt::print("  rule      {} ({}): {}\n  source    {}\n", rule.name, rule.id, rule.statement, rule.source);
  }
  fmt::print("  expected  spec: {}, ggml: {}{}\n", expectation_name(c.expected(Profile::builtin(BuiltinProfile::spec))),
             expectation_name(c.expected(Profile::builtin(BuiltinProfile::ggml))),
             c.reason.empty() ? "" : " (" + c.reason + ")");
  if (!c.parent.empty()) fmt::print("  parent    {}\n", c.parent);
  for (const std::string& tag : c.tags) fmt::print("  tag       {}\n", tag);
  if (c.kind == CaseKind::read && c.size == CaseSize::small) {
    for (const CaseFile& file : c.files()) fmt::print("  file      {}, {} bytes\n", file.name, file.bytes.size());
  }
  fmt::print("\n  gguf-cts run --plugin LIB --run {}\n", c.id);
  return true;
}

bool explain_fault(std::string_view name) {
  const FaultRow* fault = find_fault(name.starts_with("fault/") ? name.substr(6) : name);
  if (!fault) return false;
  fmt::print("fault {}, in the {}\n\n  modelled on    {}\n  caught by      {}\n\n", fault->name, fault->target,
             fault->modelled_on, fault->check);
  print_cases(all_cases([&](const Case& c) { return selects(fault->check, c.id); }), "the cases of that check");
  fmt::print("\n  gguf-cts run --self-test --run fault/{}\n", fault->name);
  return true;
}

}  // namespace

int verb_explain(int argc, char** argv) {
  std::vector<std::string> names;
  Options options("explain", "NAME...", "Explains rules, tensor types, cases and faults.");
  options.positional("NAME", names, "a rule's name or id, a tensor type, a case id, or a fault", 1);
  if (auto status = options.parse(argc, argv)) return *status;
  for (const std::string& name : names) {
    bool known = false;
    for (const auto explain : {explain_rule, explain_type, explain_case, explain_fault}) known |= explain(name);
    if (!known) {
      return options.usage_error("there is no rule, type, case or fault '" + name + "'; gguf-cts list shows what there is");
    }
  }
  return 0;
}

}  // namespace gcts
