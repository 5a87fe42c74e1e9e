// Google Benchmark's JSON, so that its tools read speeds: one entry a repetition and the
// usual aggregates.
//
// Names are <implementation>/<id without bench/>.  At most kMostRepetitions of a
// measurement's samples are written, spread evenly over all.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <span>
#include <vector>

#include "reports/escape.h"
#include "reports/report.h"
#include "reports/statistics.h"

namespace gcts {
namespace {

constexpr size_t kMostRepetitions = 25;

std::vector<double> thinned(const std::vector<double>& samples) {
  if (samples.size() <= kMostRepetitions) return samples;
  std::vector<double> out;
  for (size_t i = 0; i < kMostRepetitions; ++i) out.push_back(samples[i * samples.size() / kMostRepetitions]);
  return out;
}

double deviation(std::span<const double> samples, double mean) {
  if (samples.size() < 2) return 0;
  double sum = 0;
  for (double s : samples) sum += (s - mean) * (s - mean);
  return std::sqrt(sum / static_cast<double>(samples.size() - 1));
}

class Entries {
 public:
  explicit Entries(std::ostream& out) : out_(out) {}

  void add(const Report& report, const Result& r) {
    const std::string subject = r.subject < report.subjects.size() ? report.subjects[r.subject].name : "";
    name_ = subject + "/" + r.case_id.substr(r.case_id.find('/') + 1);
    const std::vector<double> samples = thinned(r.samples);
    count_ = samples.size();
    threads_ = measure(r, "threads", 1);
    bytes_ = measure(r, "weight_bytes", measure(r, "file_bytes", 0));
    items_ = measure(r, "elements", 0);
    calls_ = std::max(1.0, measure(r, "calls_a_sample", 1));
    for (size_t i = 0; i < samples.size(); ++i) repetition(i, samples[i]);
    const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
    aggregate("mean", mean);
    aggregate("median", median(samples).value);
    aggregate("stddev", deviation(samples, mean));
    ++family_;
  }

 private:
  static double measure(const Result& r, const char* name, double otherwise) {
    const auto found = r.measures.find(name);
    return found == r.measures.end() || !std::isfinite(found->second) ? otherwise : found->second;
  }

  void begin(const std::string& suffix, std::string_view type) {
    out_ << (first_ ? "\n" : ",\n") << "    {\"name\": " << json_string(name_ + suffix) << fmt::format(", \"family_index\": {}", family_)
         << ", \"per_family_instance_index\": 0, \"run_name\": " << json_string(name_)
         << fmt::format(", \"run_type\": \"{}\", \"repetitions\": {}, \"threads\": {:.0f}", type, count_, threads_);
    first_ = false;
  }

  void end(double ns, double iterations, bool rates) {
    out_ << fmt::format(", \"iterations\": {:.0f}, \"real_time\": {:.6g}, \"cpu_time\": {:.6g}, \"time_unit\": \"ns\"", iterations, ns, ns);
    if (rates && bytes_ > 0 && ns > 0) out_ << fmt::format(", \"bytes_per_second\": {:.6g}", bytes_ * 1e9 / ns);
    if (rates && items_ > 0 && ns > 0) out_ << fmt::format(", \"items_per_second\": {:.6g}", items_ * 1e9 / ns);
    out_ << '}';
  }

  void repetition(size_t index, double ns) {
    begin("", "iteration");
    out_ << fmt::format(", \"repetition_index\": {}", index);
    end(ns, calls_, true);
  }

  void aggregate(const std::string& which, double ns) {
    begin("_" + which, "aggregate");
    out_ << fmt::format(", \"aggregate_name\": \"{}\", \"aggregate_unit\": \"time\"", which);
    end(ns, static_cast<double>(count_), which != "stddev");
  }

  std::ostream& out_;
  std::string name_;
  size_t count_ = 0, family_ = 0;
  double threads_ = 1, bytes_ = 0, items_ = 0, calls_ = 1;
  bool first_ = true;
};

}  // namespace

void write_gbench(const Report& report, const Style&, std::ostream& out) {
  const auto told = [&](const char* name) {
    const auto found = report.machine.find(name);
    return found == report.machine.end() ? std::string() : found->second;
  };
  const std::string cpus = told("cpus");
  const bool number = !cpus.empty() && cpus.size() < 6 && cpus.find_first_not_of("0123456789") == std::string::npos;
  out << "{\n  \"context\": {\n    \"date\": " << json_string(report.started) << ",\n    \"host_name\": " << json_string(told("cpu"))
      << ",\n    \"executable\": " << json_string(report.command) << ",\n    \"num_cpus\": " << (number ? std::stoi(cpus) : 1)
      << ",\n    \"mhz_per_cpu\": 0,\n    \"cpu_scaling_enabled\": false,\n    \"caches\": [],\n    \"load_avg\": [],\n"
      << "    \"library_build_type\": \"release\"\n  },\n  \"benchmarks\": [";
  Entries entries(out);
  for (const Result& r : report.results)
    if (r.case_id.starts_with("bench/") && r.outcome == Outcome::pass && !r.samples.empty()) entries.add(report, r);
  out << "\n  ]\n}\n";
}

}  // namespace gcts
