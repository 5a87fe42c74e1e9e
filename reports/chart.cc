// Writes the script and the data for gnuplot, and takes out of its SVG what a page must not hold.

#include "reports/chart.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

extern char** environ;

namespace gcts {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestLabel = 32;
constexpr auto kPatience = std::chrono::seconds(20);

// Colours that stand for variables of the style sheet until gnuplot is done; the last
// byte says which.
constexpr std::string_view kInk = "#200001", kDim = "#200002", kRule = "#200003";
std::string series_colour(size_t i) { return fmt::format("#1000{:02x}", i % kMostSeries + 1); }

std::string variable_for(unsigned red, unsigned blue) {
  if (red == 0x10) return fmt::format("var(--c{})", blue);
  constexpr std::string_view kNames[] = {"var(--ink)", "var(--dim)", "var(--rule)"};
  return std::string(kNames[std::min(blue, 3u) - 1]);
}

// gnuplot's files, in a folder that goes with them.
class Workshop {
 public:
  Workshop() {
    std::error_code error;
    fs::path base = fs::temp_directory_path(error);
    std::string pattern = ((error ? fs::path("/tmp") : base) / "gguf-cts-chart-XXXXXX").string();
    if (mkdtemp(pattern.data())) folder_ = pattern;
  }
  ~Workshop() {
    std::error_code error;
    if (!folder_.empty()) fs::remove_all(folder_, error);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  void write(const std::string& name, const std::string& text) const { std::ofstream(fs::path(folder_) / name, std::ios::binary) << text; }

  std::string draw(const std::string& script) const {
    const char* named = std::getenv("GCTS_GNUPLOT");
    std::string program = named ? named : "gnuplot";
    if (folder_.empty() || program.empty()) return {};
    write("script", script);
    std::string word = "script";
    char* argv[] = {program.data(), word.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "chart.svg", O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const bool started = posix_spawnp(&child, program.c_str(), &actions, nullptr, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (!started || !ended_well(child)) return {};
    std::ifstream in(fs::path(folder_) / "chart.svg", std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

 private:
  static bool ended_well(pid_t child) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    int status = 0;
    for (;;) {
      const pid_t ended = waitpid(child, &status, WNOHANG);
      if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
      if (ended < 0) return false;
      if (std::chrono::steady_clock::now() > until) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  std::string folder_;
};

std::string frame(int width, int height) {
  return fmt::format(
      "set terminal svg size {},{} dynamic noenhanced font \"sans-serif,13\"\n"
      "set border 3 lc rgb '{}'\nset tics nomirror textcolor rgb '{}'\nset grid lc rgb '{}' lw 1\n"
      "set key above left horizontal textcolor rgb '{}' samplen 1.5\nset datafile missing '?'\n",
      width, height, kDim, kDim, kRule, kInk);
}

std::string number(double value) { return std::isfinite(value) && value > 0 ? fmt::format("{:.6g}", value) : "?"; }

// Ids stand in id="", in href="#" and in url(#).
void prefix_ids(std::string& svg, std::string_view id) {
  for (const std::string_view mark : {" id=\"", "href=\"#", "url(#"}) {
    for (size_t at = 0; (at = svg.find(mark, at)) != std::string::npos;) {
      at += mark.size();
      svg.insert(at, fmt::format("{}-", id));
    }
  }
}

// rgb( 16,   0,   3) becomes var(--c3).
void name_colours(std::string& svg) {
  for (size_t at = 0; (at = svg.find("rgb(", at)) != std::string::npos; ++at) {
    unsigned r = 0, g = 0, b = 0;
    const size_t end = svg.find(')', at);
    if (end == std::string::npos) return;
    if (std::sscanf(svg.c_str() + at, "rgb( %u , %u , %u", &r, &g, &b) != 3) continue;
    if ((r == 0x10 || r == 0x20) && g == 0 && b >= 1) svg.replace(at, end + 1 - at, variable_for(r, b));
  }
}

// gnuplot quotes in both ways; the page in one.
void quote_alike(std::string& svg) {
  bool tag = false;
  for (char& c : svg) {
    if (c == '<') tag = true;
    else if (c == '>') tag = false;
    else if (c == '\'' && tag) c = '"';
  }
}

void drop(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
    const size_t end = text.find(to, at);
    if (end == std::string::npos) return;
    text.erase(at, end + to.size() - at);
  }
}

constexpr std::string_view kSpace = " \t\r\n";

// One tag with a single space before each attribute and none elsewhere but between words of a value.
std::string tight(std::string_view tag) {
  std::string out;
  bool quoted = false, space = false, begins = false;  // a value
  for (const char c : tag) {
    if (kSpace.find(c) != std::string_view::npos) {
      space = true;
      continue;
    }
    const bool ends = quoted ? c == '"' : c == '=' || c == '/' || c == '>';
    if (space && !ends && !begins) out += ' ';
    space = false;
    out += c;
    if (c == '"') quoted = !quoted;
    begins = quoted ? c == '"' : c == '=';
  }
  return out;
}

// Without space between elements and without attributes that repeat what holds anyway: together they
// are half of what gnuplot writes.
std::string without_padding(std::string_view svg) {
  std::string out;
  for (size_t at = 0; at < svg.size();) {
    const size_t open = std::min(svg.find('<', at), svg.size()), end = std::min(svg.find('>', open), svg.size() - 1) + 1;
    if (const std::string_view text = svg.substr(at, open - at); text.find_first_not_of(kSpace) != std::string_view::npos) out += text;
    if (open < svg.size()) out += tight(svg.substr(open, end - open));
    at = std::max(open + 1, end);
  }
  for (const std::string_view idle : {" stroke-linecap=\"butt\"", " stroke-linejoin=\"miter\"", " stroke-width=\"1.00\""})
    for (size_t found = 0; (found = out.find(idle, found)) != std::string::npos;) out.erase(found, idle.size());
  return out;
}

// 1, 2 and 5 times the powers of ten.
std::string logarithmic_tics(double from, double to) {
  std::string out;
  for (double decade = std::pow(10, std::floor(std::log10(from))); decade <= to; decade *= 10)
    for (double step : {1, 2, 5})
      if (step * decade >= from && step * decade <= to) out += fmt::format("{}{:g}", out.empty() ? "" : ",", step * decade);
  return "(" + out + ")";
}

}  // namespace

std::string chart_label(std::string_view name) {
  std::string out;
  for (char c : name.substr(0, kLongestLabel)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("_ .+-:/()=").find(c) != std::string_view::npos;
    out += plain ? c : '?';
  }
  return out.empty() ? "?" : out;
}

std::string embedded_svg(std::string_view from, std::string_view id) {
  const size_t start = from.find("<svg"), end = from.rfind("</svg>");
  if (start == std::string_view::npos || end == std::string_view::npos || end < start) return {};
  std::string svg(from.substr(start, end + 6 - start));
  drop(svg, "<title>", "</title>");
  drop(svg, "<desc>", "</desc>");
  drop(svg, "<!--", "-->");
  quote_alike(svg);
  prefix_ids(svg, id);
  name_colours(svg);
  svg = without_padding(svg);
  svg.insert(4, fmt::format(" id=\"{}\" class=\"chart\" role=\"img\"", id));
  return svg;
}

std::string bars_svg(const Bars& bars, std::string_view id) {
  const size_t series = std::min(bars.series.size(), kMostSeries);
  if (series == 0 || bars.categories.empty()) return {};
  std::string data = "\"\"";
  for (size_t s = 0; s < series; ++s) data += " \"" + chart_label(bars.series[s].first) + '"';
  data += '\n';
  for (size_t c = 0; c < bars.categories.size(); ++c) {
    data += '"' + chart_label(bars.categories[c]) + '"';
    for (size_t s = 0; s < series; ++s) data += ' ' + (c < bars.series[s].second.size() ? number(bars.series[s].second[c]) : "?");
    data += '\n';
  }
  const int width = std::max(640, static_cast<int>(90 + bars.categories.size() * (10 + 8 * series)));
  std::string script = frame(width, 330);
  script += fmt::format(
      "set style data histograms\nset style histogram clustered gap 1\nset style fill solid 1 noborder\nset boxwidth 0.95\n"
      "set xtics rotate by -50 scale 0\nset grid noxtics\nset yrange [0:*]\nset ylabel '{}' textcolor rgb '{}'\nplot ",
      bars.unit, kDim);
  for (size_t s = 0; s < series; ++s)
    script += fmt::format("{}'data' using {}:xtic(1) title columnheader lc rgb '{}'", s == 0 ? "" : ", ", s + 2, series_colour(s));
  const Workshop workshop;
  workshop.write("data", data);
  return embedded_svg(workshop.draw(script + '\n'), id);
}

std::string roofline_svg(const Roofline& roofline, std::string_view id) {
  const size_t series = std::min(roofline.points.size(), kMostSeries);
  double left = 1e30, right = 0, low = 1e30, high = 0;
  for (size_t s = 0; s < series; ++s)
    for (const auto& [x, y] : roofline.points[s].at) {
      left = std::min(left, x), right = std::max(right, x);
      low = std::min(low, y), high = std::max(high, y);
    }
  if (right <= 0 || low <= 0) return {};
  // Room on both sides, and two decades at least for a picture of slopes.
  const double more = std::max(2.0, std::sqrt(100 * left / right));
  left /= more, right *= more, low /= 2;
  for (const Roofline::Flat& flat : roofline.flats) high = std::max(high, flat.operations);
  high *= 1.6;
  double roof = 0;
  for (const Roofline::Flat& flat : roofline.flats) roof = std::max(roof, flat.operations);
  if (roof == 0) roof = high;
  std::string roofs, slope_names, flat_names, points;
  for (const Roofline::Slope& slope : roofline.slopes) {
    if (slope.bandwidth <= 0) continue;
    const double until = std::min(right, roof / slope.bandwidth), from = std::max(left, low / slope.bandwidth);
    if (from >= until) continue;
    roofs += fmt::format("{0:.6g} {1:.6g}\n{2:.6g} {3:.6g}\n\n", from, from * slope.bandwidth, until, until * slope.bandwidth);
    slope_names += fmt::format("{:.6g} {:.6g} \"{}\"\n", from * 1.12, from * 1.06 * slope.bandwidth / 1.2, chart_label(slope.name));
  }
  for (const Roofline::Flat& flat : roofline.flats) {
    if (flat.operations <= low) continue;
    roofs += fmt::format("{0:.6g} {1:.6g}\n{2:.6g} {1:.6g}\n\n", left, flat.operations, right);
    flat_names += fmt::format("{:.6g} {:.6g} \"{}\"\n", right / 1.04, flat.operations * 1.15, chart_label(flat.name));
  }
  for (size_t s = 0; s < series; ++s) {
    points += "\"x\" \"" + chart_label(roofline.points[s].name) + "\"\n";
    for (const auto& [x, y] : roofline.points[s].at) points += number(x) + ' ' + number(y) + '\n';
    points += "\n\n";
  }
  std::string script = frame(900, 460);
  script += fmt::format(
      "set logscale xy\nset xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\nset xtics {}\nset ytics {}\nunset mxtics\nunset mytics\n"
      "set xlabel 'operations a byte of weights' textcolor rgb '{}'\nset ylabel 'Gop/s' textcolor rgb '{}'\n"
      "plot 'roofs' using 1:2 with lines lc rgb '{}' lw 1.5 notitle",
      left, right, low, high, logarithmic_tics(left, right), logarithmic_tics(low, high), kDim, kDim, kDim);
  if (!slope_names.empty()) script += fmt::format(", 'slope_names' using 1:2:3 with labels left textcolor rgb '{}' font ',11' notitle", kDim);
  if (!flat_names.empty()) script += fmt::format(", 'flat_names' using 1:2:3 with labels right textcolor rgb '{}' font ',11' notitle", kDim);
  for (size_t s = 0; s < series; ++s)
    script += fmt::format(", 'points' index {} using 1:2 with points pt 7 ps 0.7 lc rgb '{}' title columnheader(2)", s, series_colour(s));
  const Workshop workshop;
  workshop.write("roofs", roofs);
  workshop.write("slope_names", slope_names);
  workshop.write("flat_names", flat_names);
  workshop.write("points", points);
  return embedded_svg(workshop.draw(script + '\n'), id);
}

}  // namespace gcts
