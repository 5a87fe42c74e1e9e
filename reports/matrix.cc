// The matrix in Markdown: implementations x rules, the rules on which all agree folded
// away, and below it what each implementation does otherwise.

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/grid.h"
#include "reports/report.h"

namespace gcts {
namespace {

// Messages quote the file under test at length.
constexpr size_t kLongestMessage = 200;

std::string shortened(const std::string& text) {
  if (text.size() <= kLongestMessage) return text;
  size_t end = kLongestMessage;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

class MatrixWriter {
 public:
  MatrixWriter(const Report& report, std::ostream& out) : report_(report), grid_(make_grid(report)), out_(out) {}

  void write() {
    write_head();
    write_implementations();
    write_legend();
    out_ << "\n## Matrix\n\nA rule links to what was found.\n";
    size_t anchor = 0;
    for (const GridSection& section : grid_.sections) write_section(section, anchor);
    out_ << "\n## What differs\n";
    anchor = 0;
    for (const GridSection& section : grid_.sections) {
      for (const GridRow& row : section.rows) {
        if (!row.is_agreed()) write_row_findings(row, anchor);
        ++anchor;
      }
    }
  }

 private:
  void write_head() {
    out_ << "# GGUF conformance matrix\n\n";
    if (!report_.void_reason.empty()) out_ << "**Void: nothing in this run counts.** " << escape_markdown(report_.void_reason) << "\n\n";
    out_ << fmt::format("gguf-cts {}, {}, profile {}, tier {}, seed {}.", escape_markdown(report_.suite_version),
                        escape_markdown(day_of(report_.started)), escape_markdown(report_.profile), escape_markdown(report_.tier), report_.seed);
    const auto cpu = report_.machine.find("cpu");
    if (cpu != report_.machine.end()) out_ << " Measured on " << escape_markdown(cpu->second) << '.';
    out_ << '\n';
    if (!report_.command.empty()) out_ << "\n" << markdown_code(report_.command) << "\n";
  }

  void write_implementations() {
    out_ << "\n| implementation | version | cases | as demanded | otherwise | of these crash, hang or exhaust memory | recommendations not followed | not asked |\n"
            "|---|---|--:|--:|--:|--:|--:|--:|\n";
    for (uint32_t s = 0; s < report_.subjects.size(); ++s) {
      uint64_t good = 0, bad = 0, fatal = 0, lint = 0, skipped = 0;
      for (const Result& result : report_.results) {
        if (result.subject != s) continue;
        const Mark mark = mark_of(result);
        if (mark == Mark::skip) ++skipped;
        else if (mark == Mark::lint) ++lint;
        else ++(is_bad(mark) ? bad : good);
        fatal += mark == Mark::crash || mark == Mark::timeout || mark == Mark::memory;
      }
      const Subject& subject = report_.subjects[s];
      out_ << fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", escape_markdown(subject.name), escape_markdown(subject.version),
                          good + bad + lint + skipped, good, bad, fatal, lint, skipped);
    }
    if (report_.absent.empty()) return;
    out_ << "\nNot tested:\n\n";
    for (const Absent& absent : report_.absent) out_ << "* " << escape_markdown(absent.name) << ": " << escape_markdown(absent.reason) << '\n';
  }

  void write_legend() {
    out_ << "\n| mark | the implementation |\n|---|---|\n";
    for (size_t i = 0; i < kMarkCount; ++i) {
      const MarkText& text = mark_text(static_cast<Mark>(i));
      out_ << fmt::format("| {} {} | {} |\n", text.square, text.letter, escape_markdown(text.meaning));
    }
    out_ << "| 🟦 | does what it likes: either verdict is right |\n";
  }

  void write_table(const GridSection& section, bool agreed, size_t first_anchor) {
    out_ << "\n| rule |";
    for (const Subject& subject : report_.subjects) out_ << ' ' << escape_markdown(subject.name) << " |";
    out_ << "\n|---|";
    for (size_t i = 0; i < report_.subjects.size(); ++i) out_ << ":-:|";
    out_ << '\n';
    for (size_t i = 0; i < section.rows.size(); ++i) {
      const GridRow& row = section.rows[i];
      if (row.is_agreed() != agreed) continue;
      const std::string name = escape_markdown(row.id) + (row.id.empty() ? "" : " ") + escape_markdown(row.name);
      out_ << "| " << (agreed ? name : fmt::format("[{}](#r{})", name, first_anchor + i)) << " |";
      for (const Cell& cell : row.cells) {
        const MarkText& text = mark_text(cell.mark());
        const std::string_view square = cell.notable() == 0 && cell.is_free && cell.asked() > 0 ? "🟦" : text.square;
        out_ << ' ' << square << (square.empty() ? "" : " ") << text.letter << " |";
      }
      out_ << '\n';
    }
  }

  void write_section(const GridSection& section, size_t& anchor) {
    const auto agreed = static_cast<size_t>(
        std::count_if(section.rows.begin(), section.rows.end(), [](const GridRow& row) { return row.is_agreed(); }));
    out_ << "\n### " << escape_markdown(section.title) << '\n';
    if (agreed < section.rows.size()) write_table(section, false, anchor);
    if (agreed > 0) {
      out_ << "\n<details><summary>" << agreed << (agreed == 1 ? " rule" : " rules") << " on which all agree</summary>\n";
      write_table(section, true, anchor);
      out_ << "\n</details>\n";
    }
    anchor += section.rows.size();
  }

  void write_row_findings(const GridRow& row, size_t anchor) {
    out_ << fmt::format("\n<a id=\"r{}\"></a>\n\n#### {}\n\n", anchor, escape_markdown(row.id + (row.id.empty() ? "" : " ") + row.name));
    if (row.text) out_ << escape_markdown(row.text->statement) << ' ' << escape_markdown(row.text->effect) << "\n\n";
    for (size_t s = 0; s < row.cells.size(); ++s) {
      const Cell& cell = row.cells[s];
      if (cell.asked() == 0 || (cell.notable() == 0 && !cell.is_free)) continue;
      const Result& first = *cell.results.front();
      out_ << "* " << mark_text(cell.mark()).letter << " **" << escape_markdown(report_.subjects[s].name) << "** "
           << escape_markdown(cell.sentence());
      if (cell.notable() > 0) {
        out_ << "<br>" << escape_markdown(shortened(told(first, row.text != nullptr))) << "<br>"
             << markdown_code(repeat_line(report_, first));
      }
      out_ << '\n';
    }
  }

  const Report& report_;
  const Grid grid_;
  std::ostream& out_;
};

}  // namespace

void write_matrix(const Report& report, const Style&, std::ostream& out) { MatrixWriter(report, out).write(); }

}  // namespace gcts
