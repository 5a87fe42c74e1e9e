// Measuring of one family.

#include "harness/resource_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "gcts/plugin.h"

namespace gcts {
namespace {

struct Point {
  uint64_t n = 0;
  uint64_t file_bytes = 0;
  double cpu_seconds = 0;  // the best so far
  uint64_t peak_bytes = 0;
  bool refused = false;    // beyond the implementation: a declared limit
};

class Family {
 public:
  Family(Implementation& implementation, const Case& c, Result& result, Judgement& judged)
      : implementation_(implementation), case_(c), result_(result), judged_(judged) {}

  // False once the judgement is made.
  bool measure(Point& point, int repetitions) {
    const std::vector<CaseFile> files{{"model.gguf", case_.scaled(point.n)}};
    point.file_bytes = files[0].bytes.size();
    Task task;
    task.files = &files;
    task.stage = case_.stage;
    task.measured = true;
    for (int i = 0; i < repetitions; ++i) {
      bool fine = false;
      implementation_.run({&task, 1}, [&](const Task&, const Answer& answer) {
        fine = take(point, answer);
        return true;
      });
      if (!fine) return false;
    }
    return true;
  }

 private:
  bool take(Point& point, const Answer& answer) {
    result_.wall_seconds += answer.wall_seconds;
    result_.cpu_seconds += answer.cpu_seconds;
    result_.peak_bytes = std::max(result_.peak_bytes, answer.peak_bytes);
    if (judge_accident(answer, judged_)) {
      judged_.message = fmt::format("n = {} ({} bytes): {}", point.n, point.file_bytes, judged_.message);
      return false;
    }
    const bool accepts = answer.status == GCTS_OK;
    const bool may_refuse = case_.spec != Expectation::valid || case_.has_tag("limit:");
    if (accepts ? case_.spec == Expectation::invalid : !may_refuse) {
      judged_.outcome = Outcome::fail;
      judged_.actual = accepts ? "accept" : "no accept";
      judged_.message = accepts ? fmt::format("n = {}: accepts what must be rejected", point.n)
                                : fmt::format("n = {}: does not accept a valid file: {}", point.n, answer.message);
      return false;
    }
    if (!accepts && case_.has_tag("limit:")) {
      judged_.outcome = Outcome::skip;
      judged_.message = fmt::format("declared limit, n = {}: {}", point.n, answer.message);
      return false;
    }
    if (!answer.misuse.empty()) {
      judged_.outcome = Outcome::protocol;
      judged_.message = "misuses the sink: " + answer.misuse;
      return false;
    }
    point.cpu_seconds = point.cpu_seconds > 0 ? std::min(point.cpu_seconds, answer.cpu_seconds) : answer.cpu_seconds;
    point.peak_bytes = std::max(point.peak_bytes, answer.peak_bytes);
    const uint64_t allowed = kMemoryAllowance + kMemoryPerByte * point.file_bytes;
    if (point.peak_bytes <= allowed) return true;
    judged_.outcome = Outcome::memory;
    judged_.actual = fmt::format("{} MiB", point.peak_bytes >> 20);
    judged_.message = fmt::format("n = {}: holds {} MiB for a file of {} bytes, {} MiB are allowed", point.n,
                                  point.peak_bytes >> 20, point.file_bytes, allowed >> 20);
    return false;
  }

  Implementation& implementation_;
  const Case& case_;
  Result& result_;
  Judgement& judged_;
};

bool superlinear(const Point& small, const Point& large) {
  return small.cpu_seconds >= kMeasurableSeconds && large.cpu_seconds > kSuperlinearRatio * small.cpu_seconds;
}

// Too quick to tell, but growing faster than the file: worth a look at larger files.
constexpr double kSuspectRatio = 5;
constexpr int kGrowths = 2;

bool suspect(const Point& small, const Point& large) {
  return small.cpu_seconds < kMeasurableSeconds && large.cpu_seconds >= kMeasurableSeconds &&
         large.cpu_seconds > kSuspectRatio * small.cpu_seconds;
}

}  // namespace

Judgement run_resource_case(Implementation& implementation, const Case& c, Result& result) {
  Judgement judged;
  judged.expected = "linear time, memory within the file's size";
  Family family(implementation, c, result, judged);
  std::vector<Point> points{{.n = c.scale}, {.n = 2 * c.scale}, {.n = 4 * c.scale}};
  for (Point& point : points) {
    if (!family.measure(point, 1)) return judged;
  }
  Point small = points[0], large = points[2];
  for (int i = 0; i < kGrowths && suspect(small, large); ++i) {
    small = large;
    large = {.n = 4 * small.n};
    if (!family.measure(large, 1)) return judged;
  }
  if (superlinear(small, large) && (!family.measure(small, 2) || !family.measure(large, 2))) return judged;
  result.measures["cpu_n"] = small.cpu_seconds;
  result.measures["cpu_4n"] = large.cpu_seconds;
  result.measures["n"] = static_cast<double>(small.n);
  judged.actual = fmt::format("{:.1f} ms at n = {}, {:.1f} ms at 4n", small.cpu_seconds * 1e3, small.n, large.cpu_seconds * 1e3);
  if (superlinear(small, large)) {
    judged.outcome = Outcome::timeout;
    judged.message = fmt::format("superlinear: {:.0f} ms of CPU time at n = {} and {:.0f} ms at 4n, a factor of {:.1f}",
                                 small.cpu_seconds * 1e3, small.n, large.cpu_seconds * 1e3,
                                 large.cpu_seconds / small.cpu_seconds);
  }
  return judged;
}

}  // namespace gcts
