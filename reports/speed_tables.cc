// The tables of the hardware report.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "reports/compare_speed.h"
#include "reports/escape.h"
#include "reports/speed_page.h"

namespace gcts {
namespace {

// The page stays below 2 MB: rows of 100 to 150 bytes, and names that may be long.
constexpr size_t kMostRows = 6000;
constexpr size_t kMostNamed = 40;
// Heads of so few columns stand upright.
constexpr size_t kFewColumns = 6;
constexpr size_t kLongestMessage = 300;

std::string text(std::string_view hostile) { return escape_xml(hostile); }

std::string shortened(std::string_view hostile) {
  return text(hostile.substr(0, kLongestMessage)) + (hostile.size() > kLongestMessage ? "…" : "");
}

// The fastest usable answer of a type, else any.
const Speed* best_of(const std::vector<const Speed*>& answers, const std::string& type) {
  const Speed* best = nullptr;
  for (const Speed* s : answers) {
    if (s->type != type) continue;
    const bool better = best == nullptr || (s->usable() && (!best->usable() || s->value() > best->value()));
    if (better) best = s;
  }
  return best;
}

std::string heat_cell(const SpeedPage& page, const Speed* s) {
  if (s == nullptr || s->result->outcome == Outcome::skip) return "<td></td>";
  const std::string who = text(column_name(page.report, *s));
  if (!s->usable()) {
    const bool noisy = s->result->outcome == Outcome::inconclusive;
    return fmt::format("<td><i class=\"{}\" style=\"--s:0\" title=\"{}\">{}</i></td>", noisy ? "none" : "bad", who,
                       noisy ? "noisy" : s->result->outcome == Outcome::untrusted ? "invalid" : "wrong");
  }
  const double share = std::clamp(100 * s->measure("share"), 0.0, 105.0);
  return fmt::format("<td><i{} style=\"--s:{:.0f}\" title=\"{}: {} {}, bound by {}\">{:.0f} %</i></td>", share >= 75 ? " class=\"high\"" : "",
                     std::min(100.0, share), who, speed_text(s->value()), s->unit(), text(s->result->expected), share);
}

double measure(const Result& r, const char* name) {
  const auto found = r.measures.find(name);
  return found == r.measures.end() ? 0 : found->second;
}

std::string change_row(const SpeedChange& c) {
  return fmt::format("<tr><th>{}</th><td>{}</td><td>{}</td><td class=\"{}\">{:.3f}</td><td><small>{:.3f} to {:.3f}</small></td></tr>\n",
                     shortened(c.name), text(time_text(c.before_ns)), text(time_text(c.after_ns)), c.verdict == SpeedVerdict::slower ? "slower" : "faster",
                     c.ratio.value, c.ratio.low, c.ratio.high);
}

}  // namespace

void write_heat_map(const SpeedPage& page) {
  const std::vector<std::string> questions = page.questions();
  std::vector<std::string> types;
  std::set<std::string> seen;
  std::vector<std::vector<const Speed*>> answers;
  for (const std::string& question : questions) {
    answers.push_back(page.answers(question));
    for (const Speed* s : answers.back())
      if (seen.insert(s->type).second) types.push_back(s->type);
  }
  if (types.empty()) return;
  page.out << "<section>\n<h2>Share of the ceiling</h2>\n<p>Of the time that memory, caches or arithmetic need at least, the fastest kernel of each "
              "type takes this share. 100 % is as fast as this machine can be.</p>\n<div class=\"wide\"><table class=\"heat"
           << (answers.size() <= kFewColumns ? " few" : "") << "\"><thead><tr><th></th>";
  for (const auto& of : answers) page.out << "<th><span>" << text(question_text(*of.front())) << "</span></th>";
  page.out << "</tr></thead><tbody>\n";
  for (const std::string& type : types) {
    page.out << "<tr><th>" << text(type) << "</th>";
    for (const auto& of : answers) page.out << heat_cell(page, best_of(of, type));
    page.out << "</tr>\n";
  }
  page.out << "</tbody></table></div>\n</section>\n";
}

void write_reader_table(const SpeedPage& page) {
  if (page.speeds.readers.empty()) return;
  page.out << "<section>\n<h2>Readers</h2>\n<p>On the metadata of a model with 128,256 tokens and 291 tensors, up to its data.</p>\n"
              "<div class=\"wide\"><table><thead><tr><th class=\"l\">reader</th><th>MB/s</th><th>whole file</th><th>first tensor</th><th>resident memory</th></tr></thead><tbody>\n";
  for (const ReaderSpeed& r : page.speeds.readers) {
    page.out << "<tr><th>" << text(page.subject_name(r.subject)) << "</th>";
    if (r.result->outcome != Outcome::pass) {
      page.out << "<td class=\"l\" colspan=\"4\">" << outcome_name(r.result->outcome) << ": " << shortened(r.result->message) << "</td></tr>\n";
      continue;
    }
    page.out << fmt::format("<td class=\"best\">{}</td><td>{}</td><td>{}</td><td>{:.1f} MiB</td></tr>\n", speed_text(measure(*r.result, "metadata_mb_s")),
                            time_text(measure(*r.result, "ns")), time_text(measure(*r.result, "first_tensor_ns")),
                            static_cast<double>(r.result->peak_bytes) / (1 << 20));
  }
  page.out << "</tbody></table></div>\n</section>\n";
}

void write_ceiling_table(const SpeedPage& page) {
  page.out << "<section>\n<h2>The machine</h2>\n<ul class=\"facts\">\n";
  for (const auto& [name, value] : page.report.machine)
    page.out << "<li><small>" << text(name) << "</small> " << text(value) << "</li>\n";
  page.out << "</ul>\n";
  if (!page.report.command.empty()) page.out << "<pre class=\"line\">" << text(page.report.command) << "</pre>\n";
  std::set<uint32_t> threads;
  for (const Ceiling& c : page.speeds.ceilings) threads.insert(c.threads);
  if (!threads.empty()) {
    page.out << "<h3>Ceilings</h3>\n<p class=\"note\">The best of several loops, before and after the kernels; which one it was stands beside it. "
                "A product and a sum are two operations.</p>\n<div class=\"wide\"><table><thead><tr><th></th>";
    for (uint32_t t : threads) page.out << fmt::format("<th>{} thread{}</th><th></th>", t, t == 1 ? "" : "s");
    page.out << "</tr></thead><tbody>\n";
    std::set<std::pair<std::string, std::string>> told;
    for (const Ceiling& c : page.speeds.ceilings) {
      if (!told.insert({c.quantity, c.level}).second) continue;
      page.out << "<tr><th>" << text(c.quantity) << (c.level.empty() ? "" : " ") << text(c.level) << "</th>";
      for (uint32_t t : threads) {
        const auto found = std::find_if(page.speeds.ceilings.begin(), page.speeds.ceilings.end(), [&](const Ceiling& o) {
          return o.quantity == c.quantity && o.level == c.level && o.threads == t;
        });
        if (found == page.speeds.ceilings.end()) page.out << "<td></td><td></td>";
        else page.out << fmt::format("<td>{} {}</td><td class=\"l\"><small>{}</small></td>", speed_text(found->value), found->unit, text(found->variant));
      }
      page.out << "</tr>\n";
    }
    page.out << "</tbody></table></div>\n";
  }
  for (const SpeedDevice& device : page.speeds.devices) {
    if (device.ceilings.empty()) continue;
    page.out << "<h3>Ceilings of " << text(device.subject->name) << "</h3>\n<p class=\"note\">The best of several loops that the plugin brings, timed by the host's "
                "clock. A copy's bytes are read and written and count twice.</p>\n<div class=\"wide\"><table><thead><tr><th></th><th>at best</th><th></th>"
                "</tr></thead><tbody>\n";
    for (const Ceiling& c : device.ceilings)
      page.out << fmt::format("<tr><th>{}</th><td>{} {}</td><td class=\"l\"><small>{}</small></td></tr>\n", text(c.quantity), speed_text(c.value), c.unit, text(c.variant));
    page.out << "</tbody></table></div>\n";
  }
  page.out << "</section>\n";
}

void write_all_numbers(const SpeedPage& page) {
  const std::vector<std::string> questions = page.questions();
  if (questions.empty()) return;
  page.out << "<section>\n<h2>All numbers</h2>\n<p class=\"note\">The median time of a call, where it lies with a confidence of 95 %, and the times between "
              "which nine of ten samples lie.</p>\n";
  size_t left = kMostRows;
  for (const std::string& question : questions) {
    const std::vector<const Speed*> answers = page.answers(question);
    page.out << "<details><summary>" << text(question_text(*answers.front())) << " <small>" << text(answers.front()->detail)
             << "</small></summary>\n<div class=\"wide\"><table class=\"numbers\"><thead><tr><th>type</th><th>kernel</th><th>a call</th><th>95 %</th>"
                "<th>nine of ten</th><th>"
             << answers.front()->unit() << "</th><th>share</th><th>bound by</th></tr></thead><tbody>\n";
    for (const Speed* s : answers) {
      if (s->result->outcome == Outcome::skip || left == 0) continue;
      --left;
      page.out << "<tr><th>" << text(s->type) << "</th><td>" << text(column_name(page.report, *s)) << "</td>";
      if (s->measure("ns") <= 0) {
        page.out << "<td class=\"l\" colspan=\"6\">" << outcome_name(s->result->outcome) << "</td></tr>\n";
        continue;
      }
      page.out << fmt::format("<td>{}</td><td>{} to {}</td><td>{} to {}</td>", time_text(s->measure("ns")),
                              time_text(s->measure("ns_low")), time_text(s->measure("ns_high")), time_text(s->measure("ns_q05")),
                              time_text(s->measure("ns_q95")));
      if (s->usable())
        page.out << fmt::format("<td>{}</td><td>{:.0f} %</td><td>{}</td></tr>\n", speed_text(s->value()), 100 * s->measure("share"),
                                text(s->result->expected));
      else
        page.out << "<td class=\"l\" colspan=\"3\">" << (s->result->outcome == Outcome::inconclusive ? "too noisy" : "INVALID") << "</td></tr>\n";
    }
    page.out << "</tbody></table></div></details>\n";
  }
  if (left == 0) page.out << "<p class=\"note\">More stand in the JSON Lines of this run.</p>\n";
  page.out << "</section>\n";
}

void write_unusable(const SpeedPage& page) {
  std::vector<const Result*> wrong, noisy;
  for (const Result& r : page.report.results) {
    if (!is_bad(r.outcome) || !r.case_id.starts_with("bench/")) continue;
    (r.outcome == Outcome::inconclusive ? noisy : wrong).push_back(&r);
  }
  if (wrong.empty() && noisy.empty()) return;
  page.out << "<section>\n<h2>What has no speed</h2>\n";
  const auto list = [&](const std::vector<const Result*>& of) {
    page.out << "<ul class=\"bad\">\n";
    for (size_t i = 0; i < std::min(of.size(), kMostNamed); ++i)
      page.out << "<li>" << text(page.subject_name(of[i]->subject)) << " <code>" << shortened(of[i]->case_id) << "</code><br/>" << outcome_name(of[i]->outcome)
               << ": " << shortened(of[i]->message) << "</li>\n";
    if (of.size() > kMostNamed) page.out << "<li>and " << of.size() - kMostNamed << " more</li>\n";
    page.out << "</ul>\n";
  };
  if (!wrong.empty()) list(wrong);
  if (!noisy.empty()) {
    page.out << "<details><summary>" << noisy.size() << " that the machine was too noisy for</summary>\n";
    list(noisy);
    page.out << "</details>\n";
  }
  page.out << "</section>\n";
}

void write_baseline(const SpeedPage& page, const Style& style) {
  if (style.baseline == nullptr) return;
  const SpeedComparison c = compare_speeds(*style.baseline, page.report, style.threshold);
  page.out << "<section>\n<h2>Against the baseline</h2>\n<p class=\"words\">";
  if (c.empty()) {
    page.out << "Nothing was measured in both runs.</p>\n</section>\n";
    return;
  }
  page.out << fmt::format("Of {} measurements, <b>{}</b> are slower by {:g} % or more, <b>{}</b> faster, {} the same, {} too noisy to tell", c.changes.size(),
                          c.count(SpeedVerdict::slower), 100 * c.threshold, c.count(SpeedVerdict::faster), c.count(SpeedVerdict::same), c.count(SpeedVerdict::noisy));
  if (const double mean = c.mean_ratio(); mean > 0) page.out << fmt::format("; times are {:.3f} of the baseline's in the geometric mean", mean);
  page.out << ".</p>\n";
  for (const std::string& note : c.notes) page.out << "<p class=\"note\">" << text(note) << "</p>\n";
  size_t left = kMostNamed;
  bool open = false;
  for (const SpeedChange& change : c.changes) {
    if ((change.verdict != SpeedVerdict::slower && change.verdict != SpeedVerdict::faster) || left == 0) continue;
    if (!open) page.out << "<div class=\"wide\"><table><thead><tr><th class=\"l\">measurement</th><th>baseline</th><th>this run</th><th>times</th><th>95 %</th></tr></thead><tbody>\n";
    open = true;
    --left;
    page.out << change_row(change);
  }
  if (open) page.out << "</tbody></table></div>\n";
  page.out << "</section>\n";
}

}  // namespace gcts
