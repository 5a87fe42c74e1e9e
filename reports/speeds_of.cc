// Takes the speeds out of a report.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "reports/speed.h"

namespace gcts {
namespace {

std::string_view up_to_slash(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find('/'));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

std::string_view after_slash(std::string_view& text) {
  const size_t at = text.rfind('/');
  const std::string_view word = text.substr(at == std::string_view::npos ? 0 : at + 1);
  text = text.substr(0, at == std::string_view::npos ? 0 : at);
  return word;
}

// The number behind "t=" in "m=1,n=4096,k=4096,t=2"; 0 if there is none.
uint64_t field(std::string_view detail, char name) {
  for (size_t at = 0; at < detail.size();) {
    const std::string_view word = detail.substr(at, detail.find(',', at) - at);
    if (word.size() > 2 && word[0] == name && word[1] == '=') {
      uint64_t value = 0;
      std::from_chars(word.data() + 2, word.data() + word.size(), value);
      return value;
    }
    at += word.size() + 1;
  }
  return 0;
}

// The variant is the plugin's own word and may hold anything, slashes too.
Speed speed_of(const Result& result) {
  Speed speed;
  speed.result = &result;
  speed.subject = result.subject;
  std::string_view rest = result.case_id;
  up_to_slash(rest);
  speed.op = up_to_slash(rest);
  speed.type = up_to_slash(rest);
  speed.detail = after_slash(rest);
  speed.where = after_slash(rest);
  speed.variant = rest;
  speed.threads = static_cast<uint32_t>(std::max<uint64_t>(1, field(speed.detail, 't')));
  speed.m = field(speed.detail, 'm');
  return speed;
}

Ceiling ceiling_of(const Result& result) {
  Ceiling c;
  std::string_view rest = result.case_id;
  up_to_slash(rest);
  c.threads = static_cast<uint32_t>(std::max<uint64_t>(1, field(after_slash(rest), 't')));
  c.quantity = up_to_slash(rest);
  c.level = rest;
  static constexpr std::pair<const char*, std::string_view> kUnits[] = {{"gb_s", "GB/s"}, {"gop_s", "Gop/s"}, {"ghz", "GHz"}};
  for (const auto& [name, unit] : kUnits)
    if (const auto found = result.measures.find(name); found != result.measures.end()) c.value = found->second, c.unit = unit;
  if (const size_t comma = result.actual.find(", "); comma != std::string::npos) c.variant = result.actual.substr(comma + 2);
  return c;
}

}  // namespace

double Speed::measure(std::string_view name) const {
  const auto found = result->measures.find(std::string(name));
  return found == result->measures.end() || !std::isfinite(found->second) ? 0 : found->second;
}

std::string_view Speed::unit() const {
  if (op == "dequantize" || op == "quantize") return "Gelement/s";
  return m > 1 ? "Gop/s" : "GB/s of weights";
}

double Speed::value() const {
  if (op == "dequantize" || op == "quantize") return measure("gelement_s");
  return m > 1 ? measure("gop_s") : measure("weights_gb_s");
}

double Speeds::ceiling(std::string_view quantity, std::string_view level, uint32_t threads) const {
  for (const Ceiling& c : ceilings)
    if (c.quantity == quantity && c.level == level && c.threads == threads) return c.value;
  return 0;
}

double SpeedDevice::ceiling(std::string_view quantity) const {
  for (const Ceiling& c : ceilings)
    if (c.quantity == quantity) return c.value;
  return 0;
}

const SpeedDevice* Speeds::device_of(const Report& report, const Speed& speed) const {
  if (!speed.on_device() || speed.subject >= report.subjects.size()) return nullptr;
  for (const SpeedDevice& d : devices)
    if (d.subject->locator == report.subjects[speed.subject].locator) return &d;
  return nullptr;
}

uint32_t Speeds::most_threads() const {
  uint32_t most = 1;
  for (const Ceiling& c : ceilings) most = std::max(most, c.threads);
  return most;
}

Speeds speeds_of(const Report& report) {
  Speeds out;
  for (const Subject& subject : report.subjects)
    if (subject.kind == "device") out.devices.push_back({&subject, {}});
  const auto list_of = [&](const Result& result) -> std::vector<Ceiling>& {
    for (SpeedDevice& device : out.devices)
      if (result.subject < report.subjects.size() && device.subject == &report.subjects[result.subject]) return device.ceilings;
    return out.ceilings;
  };
  for (const Result& result : report.results) {
    if (result.case_id.starts_with("ceiling/")) list_of(result).push_back(ceiling_of(result));
    else if (result.case_id.starts_with("bench/read/")) out.readers.push_back({&result, result.subject});
    else if (result.case_id.starts_with("bench/")) out.kernels.push_back(speed_of(result));
  }
  return out;
}

std::string column_name(const Report& report, const Speed& speed) {
  if (speed.subject >= report.subjects.size()) return speed.variant;
  const Subject& subject = report.subjects[speed.subject];
  const auto same = [&](const Subject& other) { return other.name == subject.name; };
  const bool alone = std::count_if(report.subjects.begin(), report.subjects.end(), same) == 1;
  return (alone ? subject.name : subject.name + " " + subject.version) + " " + speed.variant;
}

std::vector<TokenBound> token_bounds(const Report& report, const Speeds& speeds, const SpeedDevice* device) {
  std::vector<TokenBound> out;
  const uint32_t threads = speeds.most_threads();
  const double bandwidth = device ? device->ceiling("read") : speeds.ceiling("read", "memory", threads);
  for (const Speed& speed : speeds.kernels) {
    const bool here = device ? speeds.device_of(report, speed) == device : speed.where == "cold" && speed.threads == threads;
    const bool decodes = speed.op == "matmul" && here && speed.m == 1;
    const double elements = speed.measure("elements"), bytes = speed.measure("weight_bytes"), ns = speed.measure("ns");
    if (!decodes || !speed.usable() || elements <= 0 || bytes <= 0 || ns <= 0) continue;
    auto found = std::find_if(out.begin(), out.end(), [&](const TokenBound& b) { return b.type == speed.type; });
    if (found == out.end()) {
      TokenBound bound;
      bound.type = speed.type;
      bound.device = device;
      bound.gigabytes = kModelParameters * bytes / elements * 1e-9;
      bound.by_bandwidth = bandwidth / bound.gigabytes;
      out.push_back(bound);
      found = out.end() - 1;
    }
    const double tokens = bytes / ns / found->gigabytes;
    if (tokens <= found->by_kernel) continue;
    found->by_kernel = tokens;
    found->kernel = column_name(report, speed);
  }
  return out;
}

std::string speed_text(double value) {
  if (!(value > 0)) return "-";
  if (value >= 999.5) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

std::string time_text(double ns) {
  if (ns >= 1e9) return speed_text(ns * 1e-9) + " s";
  if (ns >= 1e6) return speed_text(ns * 1e-6) + " ms";
  if (ns >= 1e3) return speed_text(ns * 1e-3) + " µs";
  return speed_text(ns) + " ns";
}

}  // namespace gcts
