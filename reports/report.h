// The result of a run as plain data: the one source that every report is made from.
//
// reports/ knows neither the reference nor the plugins: it tells what it is given.
// A Report is written as JSON Lines (schema in reports/README.md, versioned) and
// read back from it; all other formats come from a Report.  Text may be hostile:
// each format escapes for where the text goes.

#ifndef GCTS_REPORTS_REPORT_H_
#define GCTS_REPORTS_REPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gcts {

inline constexpr uint32_t kReportSchema = 1;

// What a case came to.
enum class Outcome : uint8_t {
  pass,
  fail,
  crash,         // signal or abort
  timeout,
  memory,        // out of memory, over-allocation, leak
  protocol,      // the implementation spoke nonsense to the harness
  inconclusive,  // must-reject case whose valid parent was not accepted
  untrusted,     // passed, but the case could not have failed
  skip,          // not run, with a reason
  xfail,         // failed as the expected-failure file says
  xpass,         // did not fail as the expected-failure file says
};
inline constexpr size_t kOutcomeCount = 11;
std::string_view outcome_name(Outcome outcome);
bool parse_outcome(std::string_view name, Outcome& out);
// True for the outcomes that make a run fail: all but pass, xfail and skip.
bool is_bad(Outcome outcome);

// One implementation under test.
struct Subject {
  std::string name;     // "ggml", from the plugin
  std::string version;
  std::string kind;     // "plugin", "process", "command"
  std::string locator;  // what was given on the command line
  std::string line{};   // the line to paste up to "--run CASE"; "" if not known
};

// An implementation that was to be tested and is not there.
struct Absent {
  std::string name;
  std::string reason;
};

// What a rule or kernel check says, for reports that explain it.
struct RuleText {
  std::string name, id, level;  // as in Result
  std::string area;             // "header", "kernel", ...
  std::string statement;        // the rule, one sentence
  std::string effect;           // what goes wrong without it
  std::string source;           // where it stands
};

// One case on one subject.
struct Result {
  uint32_t subject = 0;     // index into Report::subjects
  std::string case_id;
  Outcome outcome = Outcome::pass;
  Outcome raw = Outcome::pass;  // before the expected-failure file was applied
  std::string rule;         // name of the rule the case exercises, or the kernel check
  std::string rule_id;      // its catalogue id, "OFF-002"
  std::string level;        // "must", "should", ...
  std::string expected;     // "reject", "accept", ...
  std::string actual;       // "accept", "SIGSEGV", ...
  std::string message;      // one sentence
  std::string repro;        // the line to paste
  double wall_seconds = 0;
  double cpu_seconds = 0;
  uint64_t peak_bytes = 0;  // resident anonymous memory above the worker's baseline; 0: not measured
  std::map<std::string, double> measures;  // error/bound, GB/s, ... by name
  std::vector<double> samples{};  // of a speed: nanoseconds a call, in the order they were taken
};

// One deliberate bug and whether the check it names caught it.
struct FaultResult {
  std::string fault;
  std::string named_check;   // case id glob that must catch it
  std::string modelled_on;   // the real bug
  bool caught = false;       // by the named check, the healthy twin passing the same cases
  std::vector<std::string> caught_by;  // every check that failed
  std::string message;
  std::vector<std::string> passes_elsewhere{};  // criteria in use elsewhere that let it pass
};

struct Report {
  uint32_t schema = kReportSchema;
  std::string suite_version;
  std::string command;       // the command line
  std::string profile;
  std::string tier;
  uint64_t seed = 0;
  std::string started;       // ISO 8601, UTC
  double wall_seconds = 0;
  std::map<std::string, std::string> machine;  // cpu, kernel, compiler, ...
  std::vector<Subject> subjects;
  std::vector<Absent> absent;
  std::vector<RuleText> rules;        // those that results name, in the order of the catalogue
  std::vector<Result> results;        // by subject, then case id
  std::vector<FaultResult> faults;    // --self-test only
  std::string void_reason;            // not empty: a positive control was missed
};

// How a report is shown, apart from what it says.
struct Style {
  bool colour = false;       // ANSI colours: only for a terminal
  size_t max_failures = 20;  // console and Markdown: failures of a subject shown before folding
  const Report* baseline = nullptr;  // html of speeds: another run to compare with
  double threshold = 0.05;   // ... and the change that matters
};

// A report format: formats.inc names them, reports/<name>.cc defines write_<name>.
using WriteReportFn = void (*)(const Report& report, const Style& style, std::ostream& out);
struct Format {
  std::string_view name;
  std::string_view description;
  WriteReportFn function;

  void write(const Report& report, std::ostream& out, const Style& style = {}) const {
    function(report, style, out);
  }
};
std::span<const Format> formats();
const Format* find_format(std::string_view name);

// Reads JSON Lines back.  False and an explanation with the line number on bad
// input: not JSON, a newer schema, a result of an unknown subject, a missing end.
bool read_jsonl(std::istream& in, Report& out, std::string& error);

// The shards of one run as one report: subjects joined by name, version and locator.
// False if the parts are not of one run (profile, tier, seed or suite version
// differ) or if two parts hold different outcomes for one case and subject.
bool merge(std::span<const Report> parts, Report& out, std::string& error);

// How many results of a subject came to each outcome.
std::array<uint64_t, kOutcomeCount> count_outcomes(const Report& report, uint32_t subject);

}  // namespace gcts

#endif  // GCTS_REPORTS_REPORT_H_
