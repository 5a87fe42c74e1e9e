// The matrix: what each implementation made of each rule.
//
// A row is a rule or a promise of the C interface; the mutated files are one row of their
// own, and kernels have a row for each operation and tensor type.  A cell tells what one implementation did on the cases
// of its row, whatever an expected-failure file says about them.

#ifndef GCTS_REPORTS_GRID_H_
#define GCTS_REPORTS_GRID_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace gcts {

enum class Mark : uint8_t {
#define MARK(name, letter, square, meaning) name,
#include "reports/marks.inc"
#undef MARK
};
struct MarkText {
  std::string_view name, letter, square, meaning;
};
inline constexpr size_t kMarkCount = static_cast<size_t>(Mark::skip) + 1;
const MarkText& mark_text(Mark mark);
// True for the marks of what was demanded otherwise.
bool is_bad(Mark mark);
// What a result tells of its implementation.
Mark mark_of(const Result& result);

struct Cell {
  std::array<uint32_t, kMarkCount> marks{};
  std::vector<const Result*> results;  // the bad ones first, in the order of severity, then lint
  uint32_t bad = 0;                    // how many are
  bool is_free = true;                 // every verdict is right on all that was asked

  Mark mark() const;                   // skip where there are no results
  uint32_t notable() const { return bad + marks[static_cast<size_t>(Mark::lint)]; }  // worth telling
  uint32_t asked() const { return static_cast<uint32_t>(results.size()) - marks[static_cast<size_t>(Mark::skip)]; }
  // What it tells, with numbers: "14 cases: 2 × accepts what must be rejected".
  std::string sentence() const;
};

struct GridRow {
  std::string name, id, level;
  const RuleText* text = nullptr;      // null if the report does not explain it
  std::vector<Cell> cells;             // one a subject
  std::vector<std::string> cases;      // all of them, in order

  // All implementations that were asked did the same, and what was demanded.
  bool is_agreed() const;
};

struct GridSection {
  std::string title;
  std::vector<GridRow> rows;
};

struct Grid {
  std::vector<GridSection> sections;

  size_t row_count() const;
};

// The grid refers to the report.
Grid make_grid(const Report& report);

// The line that repeats a result: its own, or made of its subject's; "" where none is known.
std::string repeat_line(const Report& report, const Result& result);
// What happened in one sentence: expectation, answer, message.  `of_rule`: it stands under
// its rule, so that the message need not say that this is broken.
std::string told(const Result& result, bool of_rule);
// "2026-01-02" of a time, all of it where it is no such time.
std::string_view day_of(std::string_view started);

}  // namespace gcts

#endif  // GCTS_REPORTS_GRID_H_
