// Checks are quick and already each in a process of its own: one thread does.

#include "harness/api_suite.h"

#include <fmt/format.h>

#include <algorithm>

#include "gcts/plugin.h"
#include "harness/child.h"
#include "harness/judge.h"
#include "harness/worker_channel.h"

namespace gcts {
namespace {

void judge(const ApiCheckDescription& check, const Answer& answer, Result& r) {
  r.expected = check.ends_by ? signal_name(check.ends_by) : "holds";
  Judgement accident;
  if (answer.ended_by) {
    r.actual = signal_name(answer.ended_by);
    if (answer.ended_by == check.ends_by) return;
    r.outcome = Outcome::crash;
  } else if (judge_accident(answer, accident)) {
    r.outcome = accident.outcome;
    r.actual = accident.actual;
  } else if (answer.status == GCTS_UNSUPPORTED) {
    r.outcome = Outcome::skip;
    r.message = answer.message;
    return;
  } else if (answer.status == GCTS_OK && check.ends_by == 0) {
    r.actual = "holds";
    return;
  } else {
    r.actual = answer.status == GCTS_OK ? "returned" : answer.status == GCTS_REJECTED ? "does not hold" : "failed";
    r.outcome = Outcome::fail;
  }
  r.message = check.promise + (answer.message.empty() ? "" : ": " + answer.message);
}

}  // namespace

std::vector<Result> run_api_suite(const std::vector<SuiteSubject>& subjects, const Selection& selection,
                                  const Shard& shard, const SuiteOptions& options) {
  std::vector<Result> results;
  for (uint32_t s = 0; s < subjects.size(); ++s) {
    const std::vector<ApiCheckDescription>& checks = subjects[s].description.api_checks;
    std::vector<uint64_t> rows;
    for (uint64_t i = 0; i < checks.size(); ++i) {
      const std::string id = "api/" + checks[i].name;
      if (selection.contains(id) && shard.contains(id)) rows.push_back(i);
    }
    std::sort(rows.begin(), rows.end(), [&](uint64_t a, uint64_t b) { return checks[a].name < checks[b].name; });
    if (rows.empty()) continue;
    const std::unique_ptr<Implementation> implementation = launch(subjects[s].launch);
    for (size_t done = 0; done < rows.size(); ++done) {
      const uint64_t row = rows[done];
      Result r;
      r.subject = s;
      r.case_id = "api/" + checks[row].name;
      r.rule = "api_" + checks[row].name;
      r.level = "must";
      if (options.out_of_time()) {
        r.outcome = Outcome::skip;
        r.message = kOutOfTime;
      } else {
        Task task;
        task.api_check = &row;
        implementation->run({&task, 1}, [&](const Task&, const Answer& answer) {
          r.wall_seconds = answer.wall_seconds;
          judge(checks[row], answer, r);
          return true;
        });
      }
      r.raw = r.outcome;
      if (is_bad(r.raw)) r.repro = subjects[s].repro_prefix + " --run " + r.case_id;
      results.push_back(std::move(r));
      if (options.progress) options.progress(done + 1, rows.size());
    }
  }
  return results;
}

}  // namespace gcts
