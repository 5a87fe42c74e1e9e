// A rule of the format, and which profile demands it.
//
// rules.inc holds one row a rule.  A rule has a stable catalogue id ("OFF-002")
// and a name ("tensor_offset_aligned"), the same everywhere: table, check
// function, recipe, corpus file, command line and report.
//
// A profile says for each rule what breaking it means:
//   must    the file is invalid
//   should  lint: reported, and counted only under --strict
//   off     not reported
// Two profiles are columns of rules.inc: `spec`, the GGUF document read
// literally, and `ggml`, what ggml accepts when it loads the data.  Where the two
// columns differ the rule is a divergence.  A user's profile file starts from one
// of them and overrides rules by name.

#ifndef GCTS_REFERENCE_RULE_H_
#define GCTS_REFERENCE_RULE_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace gcts {

// The catalogue's level: where the rule comes from.
enum class Level : uint8_t {
  must,       // the GGUF document, or its byte layout
  should,     // recommended by the document, or a robustness property
  de_facto,   // not in the document: what the implementations do or require
  undefined,  // neither fixes it
};

enum class Severity : uint8_t { off, should, must };

// How a rule is realised in the reference.
enum class RuleKind : uint8_t {
  decode,    // reported by the reader while it decodes
  check,     // check_<name>(), a function over what was read (reference/checks/)
  set,       // reported over the files of a shard set (split.h)
  permit,    // a liberty that readers must grant: shown by valid files only
  writer,    // shown by what a writer produces
  api,       // shown through an API
  resource,  // shown by time and memory at growing sizes
};

// The two built-in profiles, columns of rules.inc.
enum class BuiltinProfile : uint8_t { spec, ggml };

struct Rule {
  std::string_view id;      // "OFF-002"
  std::string_view name;    // "tensor_offset_aligned"
  std::string_view area;    // "tensors": the file in reference/checks/ and corpus/recipes/
  Level level;
  RuleKind kind;
  Severity spec;            // what breaking it means under `spec`
  Severity ggml;            // ... and under `ggml`
  std::string_view source;     // where the rule stands
  std::string_view statement;  // the rule, one sentence
  std::string_view effect;     // what goes wrong in a reader that ignores it

  bool diverges() const { return spec != ggml; }
};

std::span<const Rule> rules();
// By name or by catalogue id; null if there is none.
const Rule* find_rule(std::string_view name_or_id);

// One constant a rule, for the code that reports it: rule::tensor_offset_aligned.
namespace rule {
enum Index : uint16_t {
#define RULE(id, name, area, level, kind, spec, ggml, source, statement, effect) name,
#include "reference/rules.inc"
#undef RULE
  kCount
};
}  // namespace rule

// The row of rules() at `index`.
const Rule& rule_at(rule::Index index);

std::string_view level_name(Level level);
std::string_view severity_name(Severity severity);
std::string_view rule_kind_name(RuleKind kind);

}  // namespace gcts

#endif  // GCTS_REFERENCE_RULE_H_
