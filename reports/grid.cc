// Results sorted into the cells of the matrix.

#include "reports/grid.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace gcts {
namespace {

constexpr MarkText kMarks[] = {
#define MARK(name, letter, square, meaning) {#name, letter, square, meaning},
#include "reports/marks.inc"
#undef MARK
};

size_t index_of(Mark mark) { return static_cast<size_t>(mark); }

// The first `count` components of a slash path.
std::string_view leading(std::string_view path, int count) {
  size_t end = path.find('/');
  while (--count > 0 && end != path.npos) end = path.find('/', end + 1);
  return path.substr(0, end);
}

std::string_view component(std::string_view path, int index) {
  for (; index > 0; --index) {
    const size_t slash = path.find('/');
    path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
  }
  return path.substr(0, path.find('/'));
}

// Where a result stands: its section, and its row there.
struct Place {
  std::string section, row;
  bool of_rule = false;  // the row is a rule
};

Place place_of(const Result& result, const RuleText* text) {
  const std::string_view id = result.case_id;
  if (id.starts_with("kernel/")) return {"kernels: " + std::string(component(id, 1)), std::string(component(id, 2)), false};
  if (id.starts_with("api/")) return {"C interface", std::string(id.substr(4)), false};
  if (id.starts_with("format/mutated/")) return {"mutated files", "mutated files", false};
  const std::string_view area = text && !text->area.empty() ? std::string_view(text->area) : component(id, 2);
  if (result.rule.empty()) return {std::string(area), std::string(leading(id, 4)), false};
  return {std::string(area), result.rule, true};
}

// Sorts rows: mutated files, the interface and kernels after the rules, and rules as the
// report lists them.
struct Key {
  int group = 0;
  size_t listed = 0;
  std::string section, id, row;
  auto operator<=>(const Key&) const = default;
};

void finish(GridRow& row) {
  std::set<std::string> cases;
  for (Cell& cell : row.cells) {
    std::stable_sort(cell.results.begin(), cell.results.end(), [](const Result* a, const Result* b) {
      const auto rank = [](const Result* r) {
        const Mark mark = mark_of(*r);
        return mark > Mark::right && mark != Mark::skip ? index_of(mark) : kMarkCount + (mark == Mark::skip);
      };
      return rank(a) < rank(b);
    });
    for (const Result* result : cell.results) cases.insert(result->case_id);
  }
  row.cases.assign(cases.begin(), cases.end());
}

void add(Cell& cell, const Result& result) {
  const Mark mark = mark_of(result);
  ++cell.marks[index_of(mark)];
  cell.results.push_back(&result);
  if (is_bad(mark)) ++cell.bad;
  if (mark != Mark::skip && result.expected != "any verdict") cell.is_free = false;
}

}  // namespace

const MarkText& mark_text(Mark mark) { return kMarks[index_of(mark)]; }

bool is_bad(Mark mark) { return mark > Mark::right && mark < Mark::lint; }

Mark mark_of(const Result& result) {
  const std::string_view actual = result.actual;
  const bool accepted = actual == "accept" || actual == "written";
  const bool rejected = actual == "reject" || actual == "weak reject" || actual == "refused" || actual == "no accept";
  if (result.outcome == Outcome::skip) return is_bad(result.raw) ? Mark::lint : Mark::skip;
  switch (result.raw) {
    case Outcome::pass:
    case Outcome::xpass: return actual == "accept" ? Mark::accepts : rejected ? Mark::rejects : Mark::right;
    case Outcome::fail:
    case Outcome::xfail: break;
    case Outcome::crash: return Mark::crash;
    case Outcome::timeout: return Mark::timeout;
    case Outcome::memory: return Mark::memory;
    case Outcome::protocol: return Mark::protocol;
    case Outcome::inconclusive:
    case Outcome::untrusted: return Mark::unproven;
    case Outcome::skip: return Mark::skip;
  }
  if (rejected) return Mark::rejects_valid;
  if (actual == "unsupported") return Mark::unsupported;
  // What is asked of a resource case is told in words.
  const bool may_not = result.expected == "reject" || result.expected == "refuse" || result.case_id.starts_with("format/resource/");
  return accepted && may_not ? Mark::accepts_invalid : Mark::wrong;
}

Mark Cell::mark() const {
  for (size_t i = 0; i < kMarkCount; ++i) {
    if (marks[i] > 0 && is_bad(static_cast<Mark>(i))) return static_cast<Mark>(i);
  }
  if (marks[index_of(Mark::lint)] > 0) return Mark::lint;
  const bool accepts = marks[index_of(Mark::accepts)] > 0, rejects = marks[index_of(Mark::rejects)] > 0;
  if (marks[index_of(Mark::right)] > 0 || (accepts && rejects)) return Mark::right;
  return accepts ? Mark::accepts : rejects ? Mark::rejects : Mark::skip;
}

std::string Cell::sentence() const {
  if (results.empty()) return "no case";
  const uint32_t count = asked();
  if (count == 0) return results.front()->message.empty() ? "not asked" : "not asked: " + results.front()->message;
  const std::string cases = fmt::format("{} {}", count, count == 1 ? "case" : "cases");
  if (notable() == 0 && is_free) {
    const Mark did = mark();
    return cases + ", any verdict is right: " + (did == Mark::accepts ? "accepts" : did == Mark::rejects ? "rejects" : "accepts some");
  }
  if (notable() == 0) return fmt::format("{}, all as demanded", cases);
  std::string out;
  for (size_t i = 0; i < kMarkCount; ++i) {
    if (marks[i] == 0 || i <= index_of(Mark::right) || i == index_of(Mark::skip)) continue;
    out += fmt::format("{}{} × {}", out.empty() ? "" : "; ", marks[i], kMarks[i].meaning);
  }
  return cases + ": " + out;
}

bool GridRow::is_agreed() const {
  const Cell* first = nullptr;
  for (const Cell& cell : cells) {
    if (cell.notable() > 0) return false;
    if (cell.asked() == 0) continue;
    if (!first) first = &cell;
    else if (cell.is_free && cell.mark() != first->mark()) return false;
  }
  return true;
}

size_t Grid::row_count() const {
  size_t count = 0;
  for (const GridSection& section : sections) count += section.rows.size();
  return count;
}

Grid make_grid(const Report& report) {
  std::map<std::string_view, size_t> listed;
  for (size_t i = 0; i < report.rules.size(); ++i) listed.emplace(report.rules[i].name, i);
  std::map<Key, GridRow> rows;
  for (const Result& result : report.results) {
    if (result.subject >= report.subjects.size()) continue;
    const auto at = listed.find(result.rule);
    const RuleText* text = at == listed.end() ? nullptr : &report.rules[at->second];
    const Place place = place_of(result, text);
    const int group = result.case_id.starts_with("kernel/") ? 3 : result.case_id.starts_with("api/") ? 2 : place.of_rule ? 0 : 1;
    const Key key{group, place.of_rule && text ? at->second : report.rules.size(), place.section,
                  place.of_rule ? result.rule_id : "", place.row};
    GridRow& row = rows[key];
    if (row.cells.empty()) {
      row.name = place.row;
      if (place.of_rule) row.id = result.rule_id, row.level = result.level, row.text = text;
      row.cells.resize(report.subjects.size());
    }
    add(row.cells[result.subject], result);
  }
  // Sections in the order of their first rows, each once.
  Grid grid;
  for (auto& [key, row] : rows) {
    finish(row);
    auto section = std::find_if(grid.sections.begin(), grid.sections.end(), [&](const GridSection& s) { return s.title == key.section; });
    if (section == grid.sections.end()) section = grid.sections.insert(grid.sections.end(), {key.section, {}});
    section->rows.push_back(std::move(row));
  }
  return grid;
}

std::string repeat_line(const Report& report, const Result& result) {
  if (!result.repro.empty()) return result.repro;
  const std::string& line = report.subjects[result.subject].line;
  return line.empty() ? "" : line + " --run " + result.case_id;
}

std::string told(const Result& result, bool of_rule) {
  std::string text;
  if (!result.expected.empty() || !result.actual.empty()) {
    text = "expected " + (result.expected.empty() ? "?" : result.expected) + ", got " +
           (result.actual.empty() ? std::string(outcome_name(result.raw)) : result.actual);
  }
  if (result.message.empty() || (of_rule && mark_of(result) == Mark::accepts_invalid)) return text;
  return text + (text.empty() ? "" : ": ") + result.message;
}

std::string_view day_of(std::string_view started) {
  const bool is_time = started.size() > 10 && started[4] == '-' && started[7] == '-' && started[10] == 'T';
  return is_time ? started.substr(0, 10) : started;
}

}  // namespace gcts
