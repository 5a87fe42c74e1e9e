// Cases are cut into chunks; threads take chunks in order, each with a worker of its
// own.  What follows from other cases (parents, lint) is settled at the end.

#include "harness/format_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <thread>
#include <utility>

#include "gcts/plugin.h"
#include "harness/judge.h"
#include "harness/resource_case.h"
#include "harness/worker_channel.h"

namespace gcts {
namespace {

constexpr size_t kChunkCases = 32;

struct Item {
  const Case* c = nullptr;
  uint32_t subject = 0;
  bool reported = true;  // false: a parent that was not selected
  bool accepted = false;
  Result result;
};

// Why an implementation is not asked; "" if it is.
std::string not_offered(const Case& c, const WriteCase& write, const Description& d) {
  if (!d.unavailable.empty() && !d.reads && !d.writes) return d.unavailable;
  if (c.kind != CaseKind::write) {
    if (!d.reads) return "has no reader";
    if (c.has_tag("shards") && !(d.reader_capabilities & GCTS_READS_SHARDS)) return "does not read shard sets";
    return "";
  }
  if (!d.writes) return "has no writer";
  if (write.model.layout.order == ByteOrder::big && !(d.writer_capabilities & GCTS_WRITES_BIG_ENDIAN)) {
    return "does not write big-endian files";
  }
  if (write.model.layout.version != kNewestVersion && !(d.writer_capabilities & GCTS_WRITES_OLD_VERSIONS)) {
    return "does not write old versions";
  }
  if (write.strategy != WriteStrategy::whole && !(d.writer_capabilities & GCTS_WRITES_STRATEGIES)) {
    return "writes whole files only";
  }
  if (write.via_reader && !d.reads) return "has no reader to take the model from";
  return "";
}

class Run {
 public:
  Run(const std::vector<SuiteSubject>& subjects, const std::vector<const Case*>& selected,
      const SuiteOptions& options)
      : subjects_(subjects), options_(options), costly_(subjects.size()) {
    make_items(selected);
  }

  std::vector<Result> run() {
    std::vector<std::thread> threads;
    for (uint64_t i = 1; i < std::min<uint64_t>(options_.jobs, chunks_.size()); ++i) {
      threads.emplace_back([this] { work(); });
    }
    work();
    for (std::thread& thread : threads) thread.join();
    return settle();
  }

 private:
  struct Chunk {
    uint32_t subject;
    size_t first, count;
  };

  void make_items(const std::vector<const Case*>& selected);
  void add_chunk(uint32_t subject, const std::vector<std::pair<const Case*, bool>>& entries);
  void work();
  void run_chunk(Implementation& implementation, const Chunk& chunk);
  void run_alone(Implementation& implementation, Item& item, const WriteCase& write);
  void judge(Item& item, const PreparedCase* prepared, const WriteCase* write, const Answer& answer);
  void skip(Item& item, std::string reason);
  void done(Item& item);
  Terms terms(const Item& item) const;
  std::vector<Result> settle();

  const std::vector<SuiteSubject>& subjects_;
  const SuiteOptions& options_;
  std::vector<Item> items_;
  std::vector<Chunk> chunks_;
  std::vector<std::atomic<uint64_t>> costly_;
  PreparedCases prepared_;
  std::atomic<size_t> next_chunk_{0}, done_{0};
};

// The cases of one subject, parents first; second: is it reported?
std::vector<std::pair<const Case*, bool>> in_order(const std::vector<const Case*>& selected) {
  std::map<std::string_view, const Case*> wanted, parents;
  for (const Case* c : selected) wanted[c->id] = c;
  for (const Case* c : selected) {
    if (c->parent.empty()) continue;
    const auto found = wanted.find(c->parent);
    const Case* parent = found != wanted.end() ? found->second : find_case(c->parent);
    if (parent) parents[parent->id] = parent;
  }
  std::vector<std::pair<const Case*, bool>> order;
  for (const auto& [id, parent] : parents) order.push_back({parent, wanted.contains(id)});
  for (const auto& [id, c] : wanted) {
    if (!parents.contains(id)) order.push_back({c, true});
  }
  return order;
}

void Run::make_items(const std::vector<const Case*>& selected) {
  for (uint32_t subject = 0; subject < subjects_.size(); ++subject) {
    std::vector<const Case*> chosen = selected;
    chosen.insert(chosen.end(), subjects_[subject].cases.begin(), subjects_[subject].cases.end());
    if (options_.isolate) {  // each with the parent that it needs
      for (const auto& [c, reported] : in_order(chosen)) {
        if (reported) add_chunk(subject, in_order({c}));
      }
      continue;
    }
    std::vector<std::pair<const Case*, bool>> together;
    for (const auto& entry : in_order(chosen)) {
      const bool alone = entry.first->kind == CaseKind::resource || entry.first->size == CaseSize::large;
      if (alone || together.size() >= kChunkCases) add_chunk(subject, std::exchange(together, {}));
      if (alone) add_chunk(subject, {entry});
      else together.push_back(entry);
    }
    add_chunk(subject, together);
  }
}

void Run::add_chunk(uint32_t subject, const std::vector<std::pair<const Case*, bool>>& entries) {
  if (entries.empty()) return;
  chunks_.push_back({subject, items_.size(), entries.size()});
  for (const auto& [c, reported] : entries) items_.push_back({c, subject, reported, false, {}});
}

void Run::work() {
  std::unique_ptr<Implementation> implementation;
  uint32_t current = 0;
  for (size_t i; (i = next_chunk_++) < chunks_.size();) {
    const Chunk& chunk = chunks_[i];
    if (!implementation || current != chunk.subject || options_.isolate) {
      implementation = launch(subjects_[chunk.subject].launch);
      current = chunk.subject;
    }
    run_chunk(*implementation, chunk);
  }
}

Terms Run::terms(const Item& item) const {
  const Description& d = subjects_[item.subject].description;
  Terms t;
  t.expectation = expected_under(*item.c, options_.profile, options_.strict);
  t.digests = item.c->stage == Stage::data && (d.reader_capabilities & GCTS_READS_TENSOR_BYTES);
  t.tells_contents = d.tells_contents;
  t.tells_order = d.tells_order;
  t.is_process = subjects_[item.subject].launch.kind == Launch::Kind::process;
  t.profile = &options_.profile;
  t.strict = options_.strict;
  return t;
}

void Run::run_chunk(Implementation& implementation, const Chunk& chunk) {
  std::vector<Task> tasks;
  std::vector<std::shared_ptr<const PreparedCase>> prepared(chunk.count);
  std::vector<WriteCase> writes(chunk.count);
  for (size_t i = 0; i < chunk.count; ++i) {
    Item& item = items_[chunk.first + i];
    const Case& c = *item.c;
    if (c.kind == CaseKind::write) writes[i] = c.write();
    const std::string reason = not_offered(c, writes[i], subjects_[item.subject].description);
    if (!reason.empty()) {
      skip(item, reason);
    } else if (options_.out_of_time()) {
      skip(item, kOutOfTime);
    } else if (c.kind == CaseKind::resource || writes[i].via_reader || writes[i].output_fails) {
      run_alone(implementation, item, writes[i]);
    } else {
      Task task;
      task.tag = i;
      task.stage = c.stage;
      if (c.kind == CaseKind::write) {
        task.write = &writes[i];
      } else {
        prepared[i] = prepared_.get(c);
        task.files = &prepared[i]->files();
      }
      tasks.push_back(task);
    }
  }
  size_t answered = 0;
  const auto enough = [&] {
    return options_.most_costly > 0 && costly_[chunk.subject] >= options_.most_costly;
  };
  if (!enough()) {
    implementation.run(tasks, [&](const Task& task, const Answer& answer) {
      judge(items_[chunk.first + task.tag], prepared[task.tag].get(), task.write, answer);
      ++answered;
      return !enough() && !options_.out_of_time();
    });
  }
  const char* why = enough() ? "too many cases before it took too long" : kOutOfTime;
  for (; answered < tasks.size(); ++answered) skip(items_[chunk.first + tasks[answered].tag], why);
}

// Cases of more than one call.
void Run::run_alone(Implementation& implementation, Item& item, const WriteCase& write) {
  const Case& c = *item.c;
  if (c.kind == CaseKind::resource) {
    const Judgement judged = run_resource_case(implementation, c, item.result);
    item.result.outcome = judged.outcome;
    item.result.expected = judged.expected;
    item.result.actual = judged.actual;
    item.result.message = judged.message;
    return done(item);
  }
  Task task;
  task.write = &write;
  std::vector<CaseFile> files;
  if (write.via_reader) {
    // The plugin's reader has to find the model before its writer can be asked for it.
    files = {{"model.gguf", write_bytes(write.model)}};
    Case source;
    source.id = c.id;
    source.files = [&files] { return files; };
    const PreparedCase prepared(source);
    Task reading;
    reading.files = &prepared.files();
    Judgement read;
    Terms as_valid = terms(item);
    as_valid.expectation = Expectation::valid;
    implementation.run({&reading, 1}, [&](const Task&, const Answer& answer) {
      read = judge_read(prepared, as_valid, answer);
      return true;
    });
    if (read.outcome != Outcome::pass) {
      item.result.outcome = Outcome::inconclusive;
      item.result.message = "its reader does not give the model that is to be written back: " + read.message;
      return done(item);
    }
  }
  if (write.output_fails) task.refuse_after = write_bytes(write.model).size() / 2;
  implementation.run({&task, 1}, [&](const Task&, const Answer& answer) {
    judge(item, nullptr, &write, answer);
    return true;
  });
}

void Run::judge(Item& item, const PreparedCase* prepared, const WriteCase* write, const Answer& answer) {
  const Judgement judged =
      write ? judge_write(*item.c, *write, terms(item), answer) : judge_read(*prepared, terms(item), answer);
  Result& r = item.result;
  r.outcome = judged.outcome;
  r.expected = judged.expected;
  r.actual = judged.actual;
  r.message = judged.message;
  r.wall_seconds = answer.wall_seconds;
  r.cpu_seconds = answer.cpu_seconds;
  r.peak_bytes = answer.peak_bytes;
  item.accepted = judged.accepted;
  if (is_bad(judged.outcome) && answer.wall_seconds > kCostlySeconds) ++costly_[item.subject];
  done(item);
}

void Run::skip(Item& item, std::string reason) {
  item.result.outcome = Outcome::skip;
  item.result.message = std::move(reason);
  done(item);
}

void Run::done(Item&) {
  const size_t count = ++done_;
  if (options_.progress) options_.progress(count, items_.size());
}

std::vector<Result> Run::settle() {
  std::map<std::pair<uint32_t, std::string_view>, bool> accepted;
  for (const Item& item : items_) accepted[{item.subject, item.c->id}] = item.accepted;
  std::vector<Item*> order;
  for (Item& item : items_) {
    if (item.reported) order.push_back(&item);
  }
  std::sort(order.begin(), order.end(), [](const Item* a, const Item* b) {
    return a->subject != b->subject ? a->subject < b->subject : a->c->id < b->c->id;
  });
  std::vector<Result> results;
  for (Item* item : order) {
    const Case& c = *item->c;
    Result& r = item->result;
    r.subject = item->subject;
    r.case_id = c.id;
    if (c.rule < rule::kCount) {
      const Rule& rule = rule_at(c.rule);
      r.rule = rule.name;
      r.rule_id = rule.id;
      r.level = level_name(rule.level);
    }
    if (r.outcome == Outcome::pass && !c.parent.empty() && r.expected == "reject" &&
        find_case(c.parent) && expected_under(*find_case(c.parent), options_.profile, options_.strict) == Expectation::valid &&
        !accepted[{item->subject, c.parent}]) {
      r.outcome = Outcome::inconclusive;
      r.message = "rejected, but so is " + c.parent + ", which lacks the fault: the reject proves nothing";
    }
    r.raw = r.outcome;
    // A writer's `should` rules are lint unless strict.
    if (c.kind == CaseKind::write && r.outcome == Outcome::fail && !options_.strict && c.rule < rule::kCount &&
        options_.profile.severity(c.rule) == Severity::should) {
      r.outcome = Outcome::skip;
      r.message = "lint, counted with --strict: " + r.message;
    }
    if (is_bad(r.raw)) r.repro = subjects_[item->subject].repro_prefix + " --run " + c.id;
    results.push_back(std::move(r));
  }
  return results;
}

}  // namespace

std::vector<Result> run_format_suite(const std::vector<SuiteSubject>& subjects,
                                     const std::vector<const Case*>& cases, const SuiteOptions& options) {
  return Run(subjects, cases, options).run();
}

std::vector<std::string> suite_environment(const std::string& profile, bool strict) {
  std::vector<std::string> environment{"GCTS_PROFILE=" + profile};
  if (strict) environment.push_back("GCTS_STRICT=1");
  return environment;
}

}  // namespace gcts
