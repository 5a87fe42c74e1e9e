// The page's sections, from what was measured to words, tables and charts.

#include "reports/speed_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <tuple>

#include "reports/chart.h"
#include "reports/escape.h"

namespace gcts {
namespace {

std::string text(std::string_view hostile) { return escape_xml(hostile); }

std::string plural(size_t count, std::string_view noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

std::string machine_name(const Report& report) {
  const auto found = report.machine.find("cpu");
  return found == report.machine.end() || found->second.empty() ? "this machine" : found->second;
}

void write_head(const SpeedPage& page) {
  const Report& r = page.report;
  const std::string name = text(machine_name(r)), day = text(std::string_view(r.started).substr(0, 10));
  page.out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"color-scheme\" content=\"light dark\"/>\n"
              "<title>Hardware report: "
           << name << "</title>\n<style>" << kSpeedStyle << "</style>\n</head>\n<body>\n<header>\n<h1>" << name << "</h1>\n<p class=\"lede\">";
  const auto cpus = r.machine.find("cpus"), memory = r.machine.find("memory");
  if (cpus != r.machine.end()) page.out << text(cpus->second) << (cpus->second == "1" ? " processor" : " processors");
  if (memory != r.machine.end()) page.out << ", " << text(memory->second) << " of memory";
  page.out << ". " << plural(page.speeds.kernels.size() + page.speeds.readers.size(), "measurement") << (day.empty() ? "" : " on ") << day << ".</p>\n";
  if (!r.void_reason.empty()) page.out << "<p class=\"void\"><b>Void: nothing in this run counts.</b> " << text(r.void_reason) << "</p>\n";
  page.out << "</header>\n<main>\n";
}

void tile(const SpeedPage& page, const std::string& value, std::string_view unit, const std::string& what) {
  page.out << "<li><b>" << value << ' ' << unit << "</b><span>" << what << "</span></li>\n";
}

std::string threads_text(uint32_t threads) { return threads == 1 ? "one thread" : fmt::format("{} threads", threads); }

void write_tiles(const SpeedPage& page) {
  const uint32_t threads = page.speeds.most_threads();
  const std::string all = threads_text(threads);
  page.out << "<ul class=\"tiles\">\n";
  const auto ceiling = [&](std::string_view quantity, std::string_view level, std::string_view unit, const std::string& what) {
    if (const double value = page.speeds.ceiling(quantity, level, threads); value > 0) tile(page, speed_text(value), unit, what + ", " + all);
  };
  ceiling("read", "memory", "GB/s", "read from memory");
  ceiling("write", "memory", "GB/s", "written to memory");
  ceiling("int8", "", "Gop/s", "8-bit integer products");
  ceiling("f32", "", "Gop/s", "32-bit float products");
  if (const double clock = page.speeds.ceiling("clock", "", 1); clock > 0) tile(page, speed_text(clock), "GHz", "clock, as measured");
  for (const SpeedDevice& device : page.speeds.devices) {
    const std::string name = text(device.subject->name);
    if (const double read = device.ceiling("read"); read > 0) tile(page, speed_text(read), "GB/s", "read from the memory of " + name);
    if (const double copy = device.ceiling("copy"); copy > 0) tile(page, speed_text(copy), "GB/s", "copied in the memory of " + name);
    if (const double f32 = device.ceiling("f32"); f32 > 0) tile(page, speed_text(f32), "Gop/s", "32-bit float products on " + name);
  }
  page.out << "</ul>\n";
}

const TokenBound* bound_of(const std::vector<TokenBound>& bounds, std::string_view type) {
  for (const TokenBound& b : bounds)
    if (b.type == type) return &b;
  return bounds.empty() ? nullptr : &bounds.front();
}

void write_sentences(const SpeedPage& page, const std::vector<TokenBound>& bounds) {
  const uint32_t threads = page.speeds.most_threads();
  const double read = page.speeds.ceiling("read", "memory", threads);
  if (read > 0)
    page.out << "<p class=\"words\">This machine reads memory at <b>" << speed_text(read) << " GB/s</b> on " << threads_text(threads)
             << ". To make one token, a language model reads all its weights once; no program can be faster than that.</p>\n";
  if (const TokenBound* b = bound_of(bounds, "q4_0"); b && b->by_bandwidth > 0) {
    page.out << "<p class=\"words\">A model of 7 billion parameters in " << text(b->type) << " is <b>" << fmt::format("{:.2f}", b->gigabytes)
             << " GB</b>, so memory allows <b>" << speed_text(b->by_bandwidth) << " tokens a second</b>";
    if (b->by_kernel > 0)
      page.out << "; the fastest kernel that was measured, " << text(b->kernel) << ", makes <b>" << speed_text(b->by_kernel) << "</b>, "
               << fmt::format("{:.0f} % of it", 100 * b->by_kernel / b->by_bandwidth);
    page.out << ".</p>\n";
  }
  size_t right = 0, noisy = 0, wrong = 0;
  for (const Speed& s : page.speeds.kernels) {
    right += s.usable();
    noisy += s.result->outcome == Outcome::inconclusive;
    wrong += is_bad(s.result->outcome) && s.result->outcome != Outcome::inconclusive;
  }
  page.out << "<p>Every kernel's results were checked before and after it was timed, and a wrong kernel has no speed: " << plural(right, "measurement")
           << (right == 1 ? " counts" : " count");
  if (noisy > 0) page.out << ", " << noisy << " the machine was too noisy for";
  if (wrong > 0) page.out << ", <b class=\"slower\">" << wrong << (wrong == 1 ? " is wrong, invalid or crashed" : " are wrong, invalid or crashed") << "</b>";
  page.out << ".</p>\n";
}

void write_device_sentence(const SpeedPage& page, const SpeedDevice& device) {
  const double read = device.ceiling("read") > 0 ? device.ceiling("read") : device.ceiling("copy");
  if (read <= 0) return;
  page.out << "<p class=\"words\">" << text(device.subject->name) << ", a device with driver " << text(device.subject->version) << ", reads its memory at <b>"
           << speed_text(read) << " GB/s</b>. What kernels on it work on lies there, so that no transfer is timed.</p>\n";
}

void write_token_table(const SpeedPage& page, std::vector<TokenBound> bounds) {
  if (bounds.empty()) return;
  std::stable_sort(bounds.begin(), bounds.end(), [](const auto& a, const auto& b) { return a.gigabytes < b.gigabytes; });
  const SpeedDevice* device = bounds.front().device;
  page.out << "<h3>Tokens a second, at most, from a model of 7 billion parameters" << (device ? " on " + text(device->subject->name) : "") << "</h3>\n<div class=\"wide\"><table class=\"tokens\"><thead><tr>"
              "<th class=\"l\">type</th><th>weights</th><th>by memory</th><th>by kernel</th><th class=\"l\">fastest kernel</th><th class=\"l\">share of memory's</th></tr></thead><tbody>\n";
  for (const TokenBound& b : bounds) {
    const double share = b.by_bandwidth > 0 ? std::min(1.0, b.by_kernel / b.by_bandwidth) : 0;
    page.out << fmt::format(
        "<tr><th>{}</th><td>{:.2f} GB</td><td>{}</td><td class=\"best\">{}</td><td class=\"l\">{}</td><td class=\"l\"><span class=\"bar\" title=\"{:.0f} %\"><i "
        "style=\"width:{:.1f}%\">&#160;</i></span></td></tr>\n",
        text(b.type), b.gigabytes, speed_text(b.by_bandwidth), speed_text(b.by_kernel), text(b.kernel), 100 * share, 100 * share);
  }
  page.out << "</tbody></table></div>\n<p class=\"note\">Weights alone; the cache of keys and values, attention and sampling come on top.</p>\n";
}

// ----------------------------------- Pictures ----------------------------------

std::vector<std::string> columns_of(const SpeedPage& page, const std::vector<const Speed*>& answers) {
  std::vector<std::string> out;
  for (const Speed* s : answers) {
    const std::string name = column_name(page.report, *s);
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

// Adds the fastest kernel of each implementation, type and shape; gives the picture, "" without any.
std::string roofline_of(const SpeedPage& page, Roofline roofline, const std::string& id, const auto& wanted) {
  std::map<std::tuple<uint32_t, std::string, std::string>, double> best;
  const auto of = [&](const Speed& s) -> double& { return best[{s.subject, s.question(), s.type}]; };
  for (const Speed& s : page.speeds.kernels)
    if (s.usable()) of(s) = std::max(of(s), s.measure("gop_s"));
  for (const Speed& s : page.speeds.kernels) {
    const double operations = s.measure("operations"), bytes = s.measure("weight_bytes"), rate = s.measure("gop_s");
    if (!wanted(s) || !s.usable() || operations <= 0 || bytes <= 0 || rate <= 0 || rate < of(s)) continue;
    const std::string name = column_name(page.report, s);
    auto found = std::find_if(roofline.points.begin(), roofline.points.end(), [&](const auto& p) { return p.name == name; });
    if (found == roofline.points.end()) found = roofline.points.insert(found, {name, {}});
    found->at.push_back({operations / bytes, rate});
  }
  return roofline_svg(roofline, id);
}

void write_figure(const SpeedPage& page, const std::string& caption, std::string_view note, const std::string& svg) {
  if (svg.empty()) return;
  page.out << "<figure><figcaption>" << caption << " <small>" << note << "</small></figcaption><div class=\"wide\">" << svg << "</div></figure>\n";
}

constexpr std::string_view kRooflineNote = "each point is the fastest kernel of an implementation for one type and shape; none can be above the lines";

void write_device_roofline(const SpeedPage& page, const SpeedDevice& device, const std::string& id) {
  Roofline roofline;
  for (const Ceiling& c : device.ceilings) {
    const std::string name = c.quantity + " " + speed_text(c.value) + " " + std::string(c.unit);
    if (c.quantity == "read") roofline.slopes.push_back({name, c.value});
    else if (c.unit == "Gop/s") roofline.flats.push_back({name, c.value});
  }
  const std::string svg = roofline_of(page, std::move(roofline), id, [&](const Speed& s) { return page.speeds.device_of(page.report, s) == &device; });
  write_figure(page, text(device.subject->name), kRooflineNote, svg);
}

void write_roofline(const SpeedPage& page, uint32_t threads, const std::string& id) {
  Roofline roofline;
  for (const char* level : {"memory", "l3", "l2"}) {
    if (const double rate = page.speeds.ceiling("read", level, threads); rate > 0)
      roofline.slopes.push_back({std::string(level) + " " + speed_text(rate) + " GB/s", rate});
  }
  for (const char* kind : {"f32", "int8", "bf16", "f16", "int8_amx", "bf16_amx"}) {
    if (const double rate = page.speeds.ceiling(kind, "", threads); rate > 0)
      roofline.flats.push_back({std::string(kind) + " " + speed_text(rate) + " Gop/s", rate});
  }
  const std::string svg = roofline_of(page, std::move(roofline), id, [&](const Speed& s) { return !s.on_device() && s.threads == threads; });
  write_figure(page, threads == 1 ? "One thread" : fmt::format("{} threads", threads), kRooflineNote, svg);
}

void write_bars(const SpeedPage& page, const std::string& question, const std::string& id) {
  const std::vector<const Speed*> answers = page.answers(question);
  Bars bars;
  bars.unit = answers.front()->unit();
  for (const Speed* s : answers)
    if (std::find(bars.categories.begin(), bars.categories.end(), s->type) == bars.categories.end()) bars.categories.push_back(s->type);
  for (const std::string& name : columns_of(page, answers)) {
    std::vector<double> values(bars.categories.size(), 0);
    for (const Speed* s : answers)
      if (s->usable() && column_name(page.report, *s) == name)
        values[static_cast<size_t>(std::find(bars.categories.begin(), bars.categories.end(), s->type) - bars.categories.begin())] = s->value();
    bars.series.push_back({name, std::move(values)});
  }
  write_figure(page, text(question_text(*answers.front())), bars.unit, bars_svg(bars, id));
}

void write_pictures(const SpeedPage& page) {
  const std::vector<std::string> questions = page.questions();
  if (questions.empty()) return;
  page.out << "<section>\n<h2>How near the roof</h2>\n<p>The slopes are what memory and caches deliver, the level lines what the arithmetic does, all "
              "measured in this run.</p>\n";
  write_roofline(page, 1, "roofline-a");
  if (page.speeds.most_threads() > 1) write_roofline(page, page.speeds.most_threads(), "roofline-b");
  for (size_t i = 0; i < page.speeds.devices.size(); ++i) write_device_roofline(page, page.speeds.devices[i], fmt::format("roofline-device-{}", i));
  page.out << "</section>\n";
  write_heat_map(page);
  page.out << "<section>\n<h2>Type by type</h2>\n";
  for (size_t i = 0; i < questions.size(); ++i) write_bars(page, questions[i], fmt::format("bars-{}", i));
  page.out << "</section>\n";
}

}  // namespace

std::string SpeedPage::subject_name(uint32_t subject) const {
  return subject < report.subjects.size() ? report.subjects[subject].name : "";
}

std::vector<std::string> SpeedPage::questions() const {
  std::vector<std::string> found;
  std::set<std::string> seen;
  for (const Speed& s : speeds.kernels)
    if (seen.insert(s.question()).second) found.push_back(s.question());
  return found;
}

std::vector<const Speed*> SpeedPage::answers(const std::string& question) const {
  std::vector<const Speed*> found;
  for (const Speed& s : speeds.kernels)
    if (s.question() == question) found.push_back(&s);
  return found;
}

std::string question_text(const Speed& speed) {
  std::string out = speed.op;
  if (speed.m == 1) out += ", one token";
  else if (speed.m > 1) out += fmt::format(", {} tokens at once", speed.m);
  if (speed.on_device()) return out + ", on the device";
  out += speed.where == "cold" ? ", operands in memory" : speed.where == "warm" ? ", operands in cache" : ", " + speed.where;
  return out + ", " + threads_text(speed.threads);
}

void write_speed_page(const Report& report, const Style& style, std::ostream& out) {
  const SpeedPage page{report, speeds_of(report), out};
  write_head(page);
  const std::vector<TokenBound> bounds = token_bounds(report, page.speeds);
  out << "<section>\n";
  write_tiles(page);
  write_sentences(page, bounds);
  write_token_table(page, bounds);
  for (const SpeedDevice& device : page.speeds.devices) {
    write_device_sentence(page, device);
    write_token_table(page, token_bounds(report, page.speeds, &device));
  }
  out << "</section>\n";
  write_baseline(page, style);
  write_pictures(page);
  write_reader_table(page);
  write_unusable(page);
  write_ceiling_table(page);
  write_all_numbers(page);
  out << "</main>\n<footer><p>Made by gguf-cts " << text(report.suite_version) << ". All numbers are those of one run";
  if (!report.started.empty()) out << ", begun " << text(report.started);
  out << fmt::format(", of {:.0f} s.</p></footer>\n</body>\n</html>\n", report.wall_seconds);
}

}  // namespace gcts
