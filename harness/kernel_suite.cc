// Cases of one kernel row are one piece of work: threads take rows in order, each with a
// worker of its own, and a row's calls go out in batches.

#include "harness/kernel_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "harness/kernel_operands.h"
#include "harness/worker_channel.h"

namespace gcts {
namespace {

// Calls are prepared and sent together up to this many, and this many bytes of operands.
constexpr size_t kBatchJobs = 256;
constexpr uint64_t kBatchBytes = 16u << 20;
// A slow case (more than 2^31 elements) takes this many times the limits.
constexpr double kSlow = 12;
// A kernel's first call on a device has the kernel compiled, which takes longer than a case.
constexpr double kCompiles = 12;
// An emulator holds memory of its own for every thread that there was: it gets so many times the memory.
constexpr uint64_t kEmulated = 8;

struct Piece {
  uint32_t subject;
  KernelRow row;
  std::vector<Result> results;
};

// One case under way.
struct Running {
  KernelCase* c;
  Result result;
  KernelScore score;
  Problem worst;
  bool skipped = false;
  double device_seconds = 0;
};

class KernelRun {
 public:
  KernelRun(const std::vector<SuiteSubject>& subjects, const KernelSelection& selection, const SuiteOptions& options)
      : subjects_(subjects), selection_(selection), options_(options) {}

  std::vector<Result> run() {
    collect();
    std::vector<std::jthread> threads;
    for (uint64_t i = 1; i < std::min<uint64_t>(options_.jobs, pieces_.size()); ++i) threads.emplace_back([this] { work(); });
    work();
    threads.clear();
    std::vector<Result> results;
    for (Piece& piece : pieces_)
      results.insert(results.end(), std::make_move_iterator(piece.results.begin()), std::make_move_iterator(piece.results.end()));
    std::stable_sort(results.begin(), results.end(), [](const Result& a, const Result& b) {
      return a.subject != b.subject ? a.subject < b.subject : a.case_id < b.case_id;
    });
    return results;
  }

 private:
  // Does any case of the row stand a chance of being selected?  Saves making them.
  void collect() {
    for (uint32_t s = 0; s < subjects_.size(); ++s)
      for (uint64_t k = 0; k < subjects_[s].description.kernels.size(); ++k)
        pieces_.push_back({s, kernel_row(subjects_[s].description.kernels[k], k), {}});
  }

  std::vector<KernelCase> selected(const KernelRow& row) const {
    std::vector<KernelCase> cases = kernel_cases(row, selection_.tier, selection_.weights);
    // A case that is named in full runs in any tier.
    if (selection_.tier != Tier::exhaustive) {
      for (KernelCase& c : kernel_cases(row, Tier::exhaustive, selection_.weights)) {
        if (!selection_.selection.names(c.id)) continue;
        const bool there = std::any_of(cases.begin(), cases.end(), [&](const KernelCase& o) { return o.id == c.id; });
        if (!there) cases.push_back(std::move(c));
      }
    }
    std::erase_if(cases, [&](const KernelCase& c) {
      return !selection_.selection.contains(c.id) || !selection_.shard.contains(c.id);
    });
    return cases;
  }

  void work() {
    std::unique_ptr<Implementation> implementation;
    uint32_t of = UINT32_MAX;
    for (;;) {
      const size_t next = next_++;
      if (next >= pieces_.size()) return;
      Piece& piece = pieces_[next];
      std::vector<KernelCase> cases = piece.row.unusable.empty() && piece.row.type
                                          ? selected(piece.row)
                                          : std::vector<KernelCase>{};
      if (!piece.row.unusable.empty()) {
        unusable(piece);
      } else if (!cases.empty()) {
        if (of != piece.subject || !implementation) {
          implementation = launch(launch_of(piece));
          of = piece.subject;
        }
        run_piece(piece, cases, *implementation);
      }
      if (options_.progress) options_.progress(std::min(++done_, pieces_.size()), pieces_.size());
    }
  }

  Result result_for(const Piece& piece, const std::string& id, std::string_view check) const {
    Result r;
    r.subject = piece.subject;
    r.case_id = id;
    r.rule = fmt::format("kernel_{}", check);
    r.level = "must";
    r.expected = "right";
    return r;
  }

  void unusable(Piece& piece) {
    const std::string id = piece.row.id + "/row";
    if (!selection_.selection.contains(id) || !selection_.shard.contains(id)) return;
    Result r = result_for(piece, id, "row");
    r.outcome = Outcome::protocol;
    r.message = "row " + std::to_string(piece.row.index) + " of the kernel table: " + piece.row.unusable;
    finish(piece, std::move(r));
  }

  void finish(Piece& piece, Result r) {
    r.raw = r.outcome;
    if (is_bad(r.raw)) r.repro = subjects_[r.subject].repro_prefix + " --run " + r.case_id;
    piece.results.push_back(std::move(r));
  }

  // Why the row cannot run here; "" if it can.
  std::string missing(const Piece& piece) const {
    const KernelDescription& kernel = piece.row.description;
    const DeviceDescription& device = subjects_[piece.subject].description.device;
    if ((kernel.row.flags & GCTS_KERNEL_ON_DEVICE) && !device.missing.empty()) return device.missing;
    return kernel.missing.empty() ? "" : "this machine lacks " + kernel.missing;
  }

  Launch launch_of(const Piece& piece) const {
    Launch out = subjects_[piece.subject].launch;
    if (!subjects_[piece.subject].description.device.interface.empty()) {
      out.limits.wall_seconds *= kCompiles;
      out.limits.cpu_seconds *= kCompiles;
    }
    if (!out.emulator.empty() && out.limits.memory_bytes <= UINT64_MAX / kEmulated) out.limits.memory_bytes *= kEmulated;
    return out;
  }

  // Under an emulator a thread that has ended is seen a while longer, and its memory for good.
  bool counts_threads_of_emulator(const Piece& piece, const KernelCase& c) const {
    return !subjects_[piece.subject].launch.emulator.empty() && c.id.find("/leak/threads=") != std::string::npos;
  }

  void run_piece(Piece& piece, std::vector<KernelCase>& cases, Implementation& implementation) {
    const std::string missing_here = missing(piece);
    std::vector<Running> batch;
    std::vector<KernelJob> jobs;
    std::vector<size_t> owner;
    uint64_t bytes = 0;
    const auto flush = [&] {
      run_batch(batch, jobs, owner, implementation);
      for (Running& running : batch) settle(piece, running);
      batch.clear(), jobs.clear(), owner.clear();
      bytes = 0;
    };
    for (KernelCase& c : cases) {
      Running running{&c, result_for(piece, c.id, c.check), {}, {}, false, 0};
      std::string why = missing_here;
      if (why.empty() && options_.out_of_time()) why = kOutOfTime;
      std::vector<KernelJob> made;
      if (why.empty() && counts_threads_of_emulator(piece, c)) why = "an emulator keeps threads, and their memory, itself";
      if (why.empty()) why = c.make(Generator(selection_.seed, c.id), made);
      if (!why.empty()) {
        running.result.outcome = Outcome::skip;
        running.result.message = why;
        running.skipped = true;
      } else if (c.slow) {
        run_slow(piece, running, made);
        settle(piece, running);
        continue;
      }
      for (KernelJob& job : made) {
        if (running.skipped) break;  // a reason that turned up after some calls were made
        bytes += job.task.weights.bytes.size() + job.task.activations.bytes.size();
        owner.push_back(batch.size());
        jobs.push_back(std::move(job));
      }
      batch.push_back(std::move(running));
      if (jobs.size() >= kBatchJobs || bytes >= kBatchBytes) flush();
    }
    flush();
  }

  // Calls outside the ordinary limits, in a worker of their own.
  void run_slow(const Piece& piece, Running& running, std::vector<KernelJob>& jobs) {
    Launch slow = launch_of(piece);
    slow.limits.wall_seconds *= kSlow;
    slow.limits.cpu_seconds *= kSlow;
    const std::unique_ptr<Implementation> implementation = launch(slow);
    std::vector<Running> one;
    one.push_back(std::move(running));
    const std::vector<size_t> owner(jobs.size(), 0);
    run_batch(one, jobs, owner, *implementation);
    running = std::move(one.front());
  }

  void run_batch(std::vector<Running>& batch, std::vector<KernelJob>& jobs, const std::vector<size_t>& owner,
                 Implementation& implementation) const {
    std::vector<Task> tasks(jobs.size());
    for (size_t i = 0; i < jobs.size(); ++i) {
      tasks[i].tag = i;
      tasks[i].kernel = &jobs[i].task;
    }
    size_t answered = 0;
    implementation.run(tasks, [&](const Task& task, const Answer& answer) {
      ++answered;
      Running& running = batch[owner[task.tag]];
      running.result.wall_seconds += answer.wall_seconds;
      running.result.cpu_seconds += answer.cpu_seconds;
      running.device_seconds += static_cast<double>(answer.kernel.device_ns) * 1e-9;
      if (running.worst.outcome != Outcome::pass) return !options_.out_of_time();  // the first problem tells
      running.worst = judge_call(answer);
      if (running.worst.outcome == Outcome::pass) running.worst = jobs[task.tag].judge(answer, running.score);
      return !options_.out_of_time();
    });
    for (; answered < tasks.size(); ++answered) {
      Running& running = batch[owner[tasks[answered].tag]];
      if (running.worst.outcome != Outcome::pass) continue;
      running.result.outcome = Outcome::skip;
      running.result.message = kOutOfTime;
      running.skipped = true;
    }
  }

  void settle(Piece& piece, Running& running) {
    Result& r = running.result;
    if (!running.skipped) {
      const KernelScore& score = running.score;
      r.outcome = running.worst.outcome;
      r.message = running.worst.message;
      if (r.outcome == Outcome::pass) conclude(r, score);
      if (running.device_seconds > 0) r.measures["device_seconds"] = running.device_seconds;
      if (score.worst_share > 0) r.measures["error_share_of_bound"] = score.worst_share;
      if (score.probed > 0) r.measures["sharp_share"] = static_cast<double>(score.sharp) / static_cast<double>(score.probed);
      if (score.codes > 0) r.measures["codes_met_share"] = static_cast<double>(score.codes_met) / static_cast<double>(score.codes);
      r.actual = r.outcome == Outcome::pass ? "right" : std::string(outcome_name(r.outcome));
    }
    finish(piece, std::move(r));
  }

  // A pass that could not have failed is none.
  static void conclude(Result& r, const KernelScore& score) {
    if (score.judged == 0) {
      r.outcome = Outcome::skip;
      r.message = score.unusable.empty() ? "nothing was judged" : score.unusable;
    } else if (score.probed > 0 && static_cast<double>(score.sharp) < kSharpShare * static_cast<double>(score.probed)) {
      r.outcome = Outcome::untrusted;
      r.message = fmt::format("one wrong code would show at only {} of {} places: the declared class is too wide for this shape",
                              score.sharp, score.probed);
    } else if (score.codes > 0 && score.codes_met < score.codes) {
      r.outcome = Outcome::untrusted;
      r.message = fmt::format("only {} of {} (code, position) pairs were met", score.codes_met, score.codes);
    }
  }

  const std::vector<SuiteSubject>& subjects_;
  const KernelSelection& selection_;
  const SuiteOptions& options_;
  std::vector<Piece> pieces_;
  std::atomic<size_t> next_ = 0, done_ = 0;
};

}  // namespace

std::vector<Result> run_kernel_suite(const std::vector<SuiteSubject>& subjects, const KernelSelection& selection,
                                     const SuiteOptions& options) {
  return KernelRun(subjects, selection, options).run();
}

}  // namespace gcts
