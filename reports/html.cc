// The matrix as one page for a browser, which needs nothing but itself: no script, no
// font, no picture, no address.
//
// The page is well-formed XML too, so that a parser can tell whether text got out of its
// place.  Links are numbers: sections a0.., subjects s0.., rows r0.., cells r0-0...  A row's
// card stands below the matrix; the style sheet (html_style.cc) shows it beside the
// matrix as long as it is the target.

#include <algorithm>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/grid.h"
#include "reports/html_style.h"
#include "reports/report.h"
#include "reports/speed_page.h"

namespace gcts {
namespace {

// Bad cases of a cell that are told in full, and those that are named at least.
constexpr size_t kMostTold = 2;
constexpr size_t kMostNamed = 4;

std::string plural(size_t count, std::string_view noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

// The class of a mark: its name, or that all of it is left to the implementation.
std::string cell_class(const Cell& cell) {
  if (cell.notable() == 0 && cell.is_free && cell.asked() > 0) return "free";
  std::string out(mark_text(cell.mark()).name);
  if (cell.notable() > 0 && cell.notable() < cell.asked()) out += " some";
  return out;
}

struct Tally {
  std::array<size_t, kMarkCount> marks{};
  size_t rows = 0, broken_rows = 0;

  size_t of(Mark mark) const { return marks[static_cast<size_t>(mark)]; }
  size_t good() const { return of(Mark::accepts) + of(Mark::rejects) + of(Mark::right); }
  size_t bad() const {
    size_t count = 0;
    for (size_t i = 0; i < kMarkCount; ++i) count += is_bad(static_cast<Mark>(i)) ? marks[i] : 0;
    return count;
  }
  size_t asked() const { return good() + bad(); }
};

class Page {
 public:
  Page(const Report& report, std::ostream& out) : report_(report), grid_(make_grid(report)), out_(out) {}

  void write() {
    write_head();
    write_implementations();
    write_legend();
    write_matrix();
    write_cards();
    out_ << "</main>\n<footer><p>Made by gguf-cts " << text(report_.suite_version)
         << ". The numbers are those of the run that is named above.</p></footer>\n</body>\n</html>\n";
  }

 private:
  static std::string text(std::string_view hostile) { return escape_xml(hostile); }

  std::string titled(const Subject& subject) const {
    return text(subject.name) + (subject.version.empty() ? "" : " " + text(subject.version));
  }

  void write_head() {
    const std::string day = text(day_of(report_.started));
    out_ << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>GGUF conformance matrix"
         << (day.empty() ? "" : ", ") << day << "</title>\n<style>\n"
         << kHtmlStyle << narrow_style() << "</style>\n</head>\n<body style=\"--n:" << std::max<size_t>(1, report_.subjects.size()) << "\">\n"
         << "<div id=\"none\"></div>\n<a class=\"veil\" href=\"#none\" title=\"back to the matrix\"></a>\n<header>\n<h1>GGUF conformance matrix</h1>\n";
    if (!report_.void_reason.empty()) {
      out_ << "<p class=\"void\"><b>Void: nothing in this run counts.</b> " << text(report_.void_reason) << "</p>\n";
    }
    out_ << "<p class=\"lede\">" << plural(report_.subjects.size(), "implementation") << ", " << plural(grid_.row_count(), "row") << ", "
         << plural(report_.results.size(), "result") << (day.empty() ? "" : ", measured ") << day << "</p>\n<ul class=\"facts\">\n";
    fact("suite", "gguf-cts " + report_.suite_version);
    fact("profile", report_.profile);
    fact("tier", report_.tier);
    fact("seed", fmt::format("{}", report_.seed));
    for (const auto& [name, value] : report_.machine) fact(name, value);
    out_ << "</ul>\n";
    if (!report_.command.empty()) out_ << "<pre class=\"line\">" << text(report_.command) << "</pre>\n";
    out_ << "</header>\n<main>\n";
  }

  void fact(std::string_view name, std::string_view value) {
    if (!value.empty()) out_ << "<li><small>" << text(name) << "</small> " << text(value) << "</li>\n";
  }

  // Where names and cells do not fit beside each other, cells go below the name.
  std::string narrow_style() const {
    return fmt::format("@media (max-width:{}rem){{{}}}\n", 22 + 2.5 * static_cast<double>(report_.subjects.size()), kHtmlNarrowStyle);
  }

  Tally tally_of(size_t subject) const {
    Tally out;
    for (const GridSection& section : grid_.sections) {
      for (const GridRow& row : section.rows) {
        const Cell& cell = row.cells[subject];
        for (size_t i = 0; i < kMarkCount; ++i) out.marks[i] += cell.marks[i];
        out.rows += cell.asked() > 0;
        out.broken_rows += cell.bad > 0;
      }
    }
    return out;
  }

  void write_implementations() {
    out_ << "<section>\n<h2>Implementations</h2>\n<ul class=\"who\">\n";
    for (size_t s = 0; s < report_.subjects.size(); ++s) {
      const Tally tally = tally_of(s);
      const double asked = static_cast<double>(std::max<size_t>(1, tally.asked()));
      out_ << fmt::format("<li id=\"s{}\"><div class=\"name\"><b>{}</b> {}</div>\n<div class=\"share\">{:.1f} %</div>\n<div class=\"bar\">", s,
                          text(report_.subjects[s].name), text(report_.subjects[s].version), 100.0 * static_cast<double>(tally.good()) / asked);
      bar_part("right", tally.good(), "as demanded");
      for (size_t i = 0; i < kMarkCount; ++i) {
        const Mark mark = static_cast<Mark>(i);
        if (is_bad(mark)) bar_part(mark_text(mark).name, tally.marks[i], mark_text(mark).meaning);
      }
      out_ << "</div>\n<p>" << tally.good() << " of " << plural(tally.asked(), "case") << " as demanded; differs on "
           << tally.broken_rows << " of " << plural(tally.rows, "row");
      for (const Mark mark : {Mark::crash, Mark::timeout, Mark::memory}) {
        if (const size_t count = tally.of(mark)) out_ << ", <b class=\"fatal\">" << count << ' ' << mark_text(mark).name << "</b>";
      }
      if (const size_t lint = tally.of(Mark::lint)) out_ << "; " << plural(lint, "recommendation") << " not followed";
      if (const size_t skipped = tally.of(Mark::skip)) out_ << "; " << skipped << " not asked";
      out_ << "</p></li>\n";
    }
    out_ << "</ul>\n";
    if (!report_.absent.empty()) {
      out_ << "<h3>Not tested</h3>\n<ul class=\"absent\">\n";
      for (const Absent& absent : report_.absent) out_ << "<li><b>" << text(absent.name) << "</b> " << text(absent.reason) << "</li>\n";
      out_ << "</ul>\n";
    }
    out_ << "</section>\n";
  }

  void bar_part(std::string_view mark, size_t count, std::string_view meaning) {
    if (count > 0) out_ << fmt::format("<i class=\"{}\" style=\"flex-grow:{}\" title=\"{}: {}\"></i>", mark, count, count, text(meaning));
  }

  void write_legend() {
    out_ << "<section>\n<h2>Marks</h2>\n<ul class=\"legend\">\n";
    for (size_t i = 0; i < kMarkCount; ++i) {
      const MarkText& mark = mark_text(static_cast<Mark>(i));
      out_ << fmt::format("<li><span class=\"mark {}\">{}</span> {}</li>\n", mark.name, mark.letter, text(mark.meaning));
    }
    out_ << "<li><span class=\"mark free\">a</span> either verdict is right</li>\n</ul>\n"
            "<p>A pale mark: some cases only. A cell opens its cases, the rule's text and the line to paste.</p>\n</section>\n";
  }

  void write_matrix() {
    out_ << "<section class=\"matrix\">\n<h2>Matrix</h2>\n<nav>";
    for (size_t a = 0; a < grid_.sections.size(); ++a) {
      out_ << fmt::format("<a href=\"#a{}\">{}</a> ", a, text(grid_.sections[a].title));
    }
    out_ << "</nav>\n<div class=\"heads\"><span></span>";
    for (size_t s = 0; s < report_.subjects.size(); ++s) {
      const Subject& subject = report_.subjects[s];
      out_ << fmt::format("<a href=\"#s{}\" title=\"{}\"><span>{}</span></a>", s, titled(subject), text(subject.name));
    }
    out_ << "</div>\n";
    size_t row = 0;
    for (size_t a = 0; a < grid_.sections.size(); ++a) {
      write_section(grid_.sections[a], a, row);
      row += grid_.sections[a].rows.size();
    }
    out_ << "</section>\n";
  }

  void write_section(const GridSection& section, size_t index, size_t first_row) {
    const auto agreed = static_cast<size_t>(
        std::count_if(section.rows.begin(), section.rows.end(), [](const GridRow& row) { return row.is_agreed(); }));
    const size_t differing = section.rows.size() - agreed;
    out_ << fmt::format("<h3 id=\"a{}\">{}</h3>\n", index, text(section.title));
    if (differing > 0) write_table(section, first_row, false);
    if (agreed == 0) return;
    out_ << "<details><summary>" << (differing > 0 ? "" : "no difference: ") << plural(agreed, "row") << " on which all agree</summary>\n";
    write_table(section, first_row, true);
    out_ << "</details>\n";
  }

  void write_table(const GridSection& section, size_t first_row, bool agreed) {
    out_ << "<table role=\"table\"><tbody>\n";
    for (size_t i = 0; i < section.rows.size(); ++i) {
      if (section.rows[i].is_agreed() == agreed) write_row(section.rows[i], first_row + i);
    }
    out_ << "</tbody></table>\n";
  }

  void write_row(const GridRow& row, size_t number) {
    out_ << fmt::format("<tr role=\"row\"><th scope=\"row\" role=\"rowheader\"><a href=\"#r{}\">{}{}</a></th>", number,
                        row.id.empty() ? "" : "<small>" + text(row.id) + "</small> ", text(row.name));
    for (size_t s = 0; s < row.cells.size(); ++s) {
      const Cell& cell = row.cells[s];
      if (cell.results.empty()) {  // it has no entry in the card to lead to
        out_ << fmt::format("<td role=\"cell\"><span class=\"mark {}\" title=\"{}\">{}</span></td>", cell_class(cell), text(cell.sentence()),
                            mark_text(cell.mark()).letter);
        continue;
      }
      out_ << fmt::format("<td role=\"cell\"><a class=\"mark {}\" href=\"#r{}-{}\" title=\"{}: {}\">{}</a></td>", cell_class(cell), number, s,
                          text(report_.subjects[s].name), text(cell.sentence()), mark_text(cell.mark()).letter);
    }
    out_ << "</tr>\n";
  }

  void write_cards() {
    out_ << "<section class=\"cards\">\n<h2>Rules, cases and lines to paste</h2>\n";
    size_t number = 0;
    for (const GridSection& section : grid_.sections) {
      for (const GridRow& row : section.rows) write_card(section, row, number++);
    }
    out_ << "</section>\n";
  }

  void write_card(const GridSection& section, const GridRow& row, size_t number) {
    out_ << fmt::format("<article class=\"card\" id=\"r{}\">\n<a class=\"close\" href=\"#none\" title=\"back to the matrix\">×</a>\n<h3>{}</h3>\n"
                        "<p class=\"tags\">", number, text(row.name));
    for (const std::string_view tag : {std::string_view(row.id), std::string_view(row.level), std::string_view(section.title)}) {
      if (!tag.empty()) out_ << "<span>" << text(tag) << "</span> ";
    }
    out_ << "</p>\n";
    if (row.text) write_text(*row.text);
    out_ << "<details class=\"cases\"><summary>" << plural(row.cases.size(), "case") << "</summary><p>";
    for (const std::string& id : row.cases) out_ << "<code>" << text(id) << "</code><br/>";
    out_ << "</p></details>\n";
    for (size_t s = 0; s < row.cells.size(); ++s)
      if (!row.cells[s].results.empty()) write_cell(row, s, number);
    out_ << "</article>\n";
  }

  void write_text(const RuleText& rule) {
    if (!rule.statement.empty()) out_ << "<p class=\"statement\">" << text(rule.statement) << "</p>\n";
    if (!rule.effect.empty()) out_ << "<p><b>Without it.</b> " << text(rule.effect) << "</p>\n";
    if (!rule.source.empty()) out_ << "<p><b>Source.</b> " << text(rule.source) << "</p>\n";
  }

  void write_cell(const GridRow& row, size_t subject, size_t number) {
    const Cell& cell = row.cells[subject];
    out_ << fmt::format("<div class=\"cell\" id=\"r{}-{}\"><h4><span class=\"mark {}\">{}</span> {}</h4>\n<p>{}</p>\n", number, subject,
                        cell_class(cell), mark_text(cell.mark()).letter, titled(report_.subjects[subject]), text(cell.sentence()));
    const size_t bad = cell.notable();
    if (bad > 0) out_ << "<ul>\n";
    for (size_t i = 0; i < std::min(bad, kMostTold); ++i) {
      const Result& result = *cell.results[i];
      out_ << "<li><code>" << text(result.case_id) << "</code> " << text(told(result, row.text != nullptr)) << "</li>\n";
    }
    if (bad > kMostTold) {
      out_ << "<li>also";
      for (size_t i = kMostTold; i < std::min(bad, kMostNamed); ++i) out_ << " <code>" << text(cell.results[i]->case_id) << "</code>";
      if (bad > kMostNamed) out_ << " and " << bad - kMostNamed << " more";
      out_ << "</li>\n";
    }
    if (bad > 0) out_ << "</ul>\n";
    if (cell.asked() > 0) {
      const std::string line = repeat_line(report_, *cell.results.front());
      if (!line.empty()) out_ << "<pre class=\"line\">" << text(line) << "</pre>\n";
    }
    out_ << "</div>\n";
  }

  const Report& report_;
  const Grid grid_;
  std::ostream& out_;
};

}  // namespace

// A run of bench has no rules: its page is the hardware report.
void write_html(const Report& report, const Style& style, std::ostream& out) {
  if (!speeds_of(report).empty()) write_speed_page(report, style, out);
  else Page(report, out).write();
}

}  // namespace gcts
