// Speeds for people, at the terminal: what the machine can do, a table a question, and
// what cannot be used.

#include "reports/speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <set>

#include "reports/escape.h"

namespace gcts {
namespace {

constexpr size_t kWidestColumn = 26;

size_t columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}
std::string padded(std::string text, size_t width) {
  const size_t have = columns(text);
  return have < width ? text.append(width - have, ' ') : text;
}
std::string shortened(const std::string& text) {
  std::string out = escape_terminal(text);
  if (out.size() <= kWidestColumn) return out;
  size_t end = kWidestColumn - 1;
  while (end > 0 && (out[end] & 0xc0) == 0x80) --end;
  return out.substr(0, end) + "…";
}

// Rows of words under each other.
class Table {
 public:
  void row(std::vector<std::string> words) { rows_.push_back(std::move(words)); }
  void write(std::ostream& out) const {
    std::vector<size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
    }
    for (const auto& row : rows_) {
      std::string line = " ";
      for (size_t i = 0; i < row.size(); ++i) line += " " + (i + 1 < row.size() ? padded(row[i], widths[i]) : row[i]) + " ";
      while (line.ends_with(' ')) line.pop_back();
      out << line << '\n';
    }
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

void write_machine(const Report& report, std::ostream& out) {
  for (const char* name : {"cpu", "caches", "memory", "kernel", "compiler", "governor", "load average", "processors", "drift"}) {
    const auto found = report.machine.find(name);
    if (found != report.machine.end()) out << fmt::format("  {:<13} {}\n", name, escape_terminal(found->second));
  }
  for (const auto& [name, value] : report.machine)
    if (name.starts_with("device of ") || name.starts_with("ceilings of ")) out << fmt::format("  {:<13} {}\n", escape_terminal(name), escape_terminal(value));
}

void write_ceilings(const Speeds& speeds, std::ostream& out) {
  std::set<uint32_t> threads;
  for (const Ceiling& c : speeds.ceilings) threads.insert(c.threads);
  if (threads.empty()) return;
  out << "\nwhat the machine can do\n";
  Table table;
  std::vector<std::string> head{""};
  for (uint32_t t : threads) head.push_back(fmt::format("{} thread{}", t, t == 1 ? "" : "s"));
  table.row(head);
  std::vector<std::pair<std::string, std::string>> told;
  for (const Ceiling& c : speeds.ceilings) {
    if (std::find(told.begin(), told.end(), std::pair{c.quantity, c.level}) != told.end()) continue;
    told.push_back({c.quantity, c.level});
    std::vector<std::string> row{c.quantity + (c.level.empty() ? "" : " " + c.level)};
    for (uint32_t t : threads) row.push_back(fmt::format("{} {}", speed_text(speeds.ceiling(c.quantity, c.level, t)), c.unit));
    table.row(row);
  }
  table.write(out);
}

void write_devices(const Speeds& speeds, std::ostream& out) {
  for (const SpeedDevice& device : speeds.devices) {
    if (device.ceilings.empty()) continue;
    out << fmt::format("\nwhat {} can do\n", escape_terminal(device.subject->name));
    Table table;
    for (const Ceiling& c : device.ceilings) table.row({escape_terminal(c.quantity), fmt::format("{} {}", speed_text(c.value), c.unit), shortened(c.variant)});
    table.write(out);
  }
}

std::string cell(const Speed& speed) {
  switch (speed.result->outcome) {
    case Outcome::pass: break;
    case Outcome::inconclusive: return "noisy";
    case Outcome::untrusted: return "INVALID";
    case Outcome::skip: return "skip";
    default: return std::string(outcome_name(speed.result->outcome));
  }
  const double share = speed.measure("share");
  return share > 0 ? fmt::format("{} ({:.0f} %)", speed_text(speed.value()), 100 * share) : speed_text(speed.value());
}

// One table: types down, implementations across.
void write_question(const Report& report, const std::vector<const Speed*>& of, std::ostream& out) {
  std::vector<std::string> across, down;
  const auto once = [](std::vector<std::string>& list, const std::string& word) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
  };
  for (const Speed* s : of) {
    once(across, column_name(report, *s));
    once(down, s->type);
  }
  out << fmt::format("\n{} {} {}: {} (share of the ceiling that binds)\n", of[0]->op, of[0]->where, escape_terminal(of[0]->detail), of[0]->unit());
  Table table;
  std::vector<std::string> head{""};
  for (const std::string& name : across) head.push_back(shortened(name));
  table.row(head);
  for (const std::string& type : down) {
    std::vector<std::string> row{escape_terminal(type)};
    for (const std::string& name : across) {
      std::string word;
      for (const Speed* s : of)
        if (s->type == type && column_name(report, *s) == name) word = cell(*s);
      row.push_back(word);
    }
    table.row(row);
  }
  table.write(out);
}

void write_readers(const Report& report, const Speeds& speeds, std::ostream& out) {
  if (speeds.readers.empty()) return;
  out << "\nreaders, on the metadata of a model with 128,256 tokens\n";
  Table table;
  table.row({"", "MB/s", "first tensor", "memory"});
  for (const ReaderSpeed& r : speeds.readers) {
    const std::string name = r.subject < report.subjects.size() ? report.subjects[r.subject].name : "";
    const auto measure = [&](const char* what) {
      const auto found = r.result->measures.find(what);
      return found == r.result->measures.end() ? 0 : found->second;
    };
    if (r.result->outcome != Outcome::pass) {
      table.row({escape_terminal(name), std::string(outcome_name(r.result->outcome))});
      continue;
    }
    table.row({escape_terminal(name), speed_text(measure("metadata_mb_s")), time_text(measure("first_tensor_ns")),
               fmt::format("{:.1f} MiB", static_cast<double>(r.result->peak_bytes) / (1 << 20))});
  }
  table.write(out);
}

void write_tokens(const Report& report, const Speeds& speeds, const SpeedDevice* device, std::ostream& out) {
  const std::vector<TokenBound> bounds = token_bounds(report, speeds, device);
  if (bounds.empty()) return;
  out << "\na model of 7 billion parameters, tokens a second at most" << (device ? " on " + escape_terminal(device->subject->name) : "") << "\n";
  Table table;
  table.row({"", "weights", "by memory", "by kernel", ""});
  for (const TokenBound& b : bounds)
    table.row({escape_terminal(b.type), fmt::format("{:.2f} GB", b.gigabytes), speed_text(b.by_bandwidth), speed_text(b.by_kernel), shortened(b.kernel)});
  table.write(out);
}

void write_unusable(const Report& report, const Style& style, std::ostream& out) {
  std::vector<const Result*> bad;
  for (const Result& r : report.results)
    if (is_bad(r.outcome) && r.case_id.starts_with("bench/")) bad.push_back(&r);
  if (bad.empty()) return;
  out << fmt::format("\nnot usable: {}\n", bad.size());
  for (size_t i = 0; i < bad.size() && i < style.max_failures; ++i)
    out << fmt::format("  {} {}\n      {}\n", bad[i]->subject < report.subjects.size() ? escape_terminal(report.subjects[bad[i]->subject].name) : "",
                       escape_terminal(bad[i]->case_id), escape_terminal(bad[i]->message));
  if (bad.size() > style.max_failures) out << fmt::format("  … and {} more\n", bad.size() - style.max_failures);
}

}  // namespace

void write_speed(const Report& report, const Style& style, std::ostream& out) {
  const Speeds speeds = speeds_of(report);
  if (speeds.empty()) {
    out << "no speeds in this report\n";
    return;
  }
  write_machine(report, out);
  write_ceilings(speeds, out);
  write_devices(speeds, out);
  std::vector<std::string> questions;
  for (const Speed& s : speeds.kernels)
    if (std::find(questions.begin(), questions.end(), s.question()) == questions.end()) questions.push_back(s.question());
  for (const std::string& question : questions) {
    std::vector<const Speed*> of;
    for (const Speed& s : speeds.kernels)
      if (s.question() == question) of.push_back(&s);
    write_question(report, of, out);
  }
  write_readers(report, speeds, out);
  write_tokens(report, speeds, nullptr, out);
  for (const SpeedDevice& device : speeds.devices) write_tokens(report, speeds, &device, out);
  write_unusable(report, style, out);
  out << fmt::format("\n{} measurements in {:.0f} s\n", speeds.kernels.size() + speeds.readers.size(), report.wall_seconds);
}

}  // namespace gcts
