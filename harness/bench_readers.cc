// Times readers on generated files, and reads how much memory their worker holds.

#include "harness/bench_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/locations.h"
#include "reference/writer.h"
#include "reports/statistics.h"

namespace gcts {
namespace {

// Llama 3's vocabulary has 128,256 tokens and 280,147 merges; its tensors are 291.
constexpr uint64_t kTokens = 128256, kMerges = 280147, kTensors = 291;

// Strings of 3 to 14 bytes, one in eight of them beyond ASCII, all different.
std::vector<std::string> words(uint64_t count, std::string_view between) {
  std::vector<std::string> out;
  out.reserve(count);
  for (uint64_t i = 0; i < count; ++i)
    out.push_back(fmt::format("{}{}{:x}", i % 8 == 0 ? "\xc4\xa0" : "t", std::string(i % 7, 'a') + std::string(between), i));
  return out;
}

Bytes vocabulary_file() {
  File file;
  file.set("general.architecture", Value::string("llama"));
  file.set("tokenizer.ggml.model", Value::string("gpt2"));
  file.set("tokenizer.ggml.tokens", Value::strings(words(kTokens, "")));
  file.set("tokenizer.ggml.merges", Value::strings(words(kMerges, " ")));
  for (uint64_t i = 0; i < kTensors; ++i)
    file.tensors.push_back({fmt::format("blk.{}.weight", i), 0, {8}, Bytes(32), std::nullopt});
  return write_bytes(file);
}

struct ReaderTimes {
  Result result;
  std::vector<double> ns, first_tensor_ns;
  uint64_t peak = 0;
  bool over = false;
};

void end(ReaderTimes& r, Outcome outcome, std::string message) {
  r.over = true;
  r.result.outcome = outcome;
  r.result.message = std::move(message);
}

void tell(ReaderTimes& r, uint64_t bytes, const BenchTerms& terms) {
  const Estimate e = median(r.ns);
  std::vector<double> sorted = r.ns;
  std::sort(sorted.begin(), sorted.end());
  auto& x = r.result.measures;
  x["ns"] = e.value;
  x["ns_low"] = e.low;
  x["ns_high"] = e.high;
  for (const auto& [name, q] : {std::pair{"ns_q05", 0.05}, {"ns_q25", 0.25}, {"ns_q75", 0.75}, {"ns_q95", 0.95}})
    x[name] = quantile(sorted, q);
  x["threads"] = 1;
  x["file_bytes"] = static_cast<double>(bytes);
  x["metadata_mb_s"] = static_cast<double>(bytes) * 1e3 / e.value;
  if (!r.first_tensor_ns.empty()) x["first_tensor_ns"] = median(r.first_tensor_ns).value;
  r.result.peak_bytes = r.peak;
  r.result.samples = std::move(r.ns);
  if (e.spread() <= terms.most_spread) return;
  r.result.outcome = Outcome::inconclusive;
  r.result.message = fmt::format("too noisy to be used: the median lies within {:.0f} % of what was measured", 100 * e.spread());
}

}  // namespace

std::vector<Result> run_bench_readers(const std::vector<BenchReader>& readers,
                                      const std::function<BenchWorker&(uint32_t subject)>& worker_of,
                                      const BenchTerms& terms) {
  if (readers.empty()) return {};
  const std::vector<CaseFile> files{{"vocabulary.gguf", vocabulary_file()}};
  const Bytes& bytes = files[0].bytes;
  TemporaryFolder folder;
  const std::string path = folder.write(files);
  std::vector<ReaderTimes> readings(readers.size());
  for (size_t i = 0; i < readers.size(); ++i) {
    readings[i].result.subject = readers[i].subject;
    readings[i].result.case_id = kBenchReadId;
    readings[i].result.rule = "speed";
  }
  const double until = now_seconds() + 4 * terms.seconds_each * static_cast<double>(readers.size());
  for (uint64_t round = 0; round < terms.most_rounds && (round <= terms.least_rounds || now_seconds() < until); ++round) {
    for (size_t i = 0; i < readers.size(); ++i) {
      ReaderTimes& r = readings[round % 2 == 0 ? i : readers.size() - 1 - i];
      if (r.over) continue;
      const BenchReader& reader = readers[static_cast<size_t>(&r - readings.data())];
      const bool memory = (reader.capabilities & GCTS_READS_MEMORY) != 0;
      worker::BenchReadAnswer answer{};
      uint64_t peak = 0;
      const BenchFailure failure = worker_of(reader.subject).read(bytes, memory ? std::string() : path, GCTS_STAGE_METADATA, answer, peak);
      if (failure.any()) {
        const bool crashed = failure.kind != AnswerKind::verdict;
        end(r, crashed ? Outcome::crash : Outcome::fail, failure.message);
      } else if (answer.tensors != kTensors) {
        end(r, Outcome::fail, fmt::format("has no speed: reports {} of {} tensors", answer.tensors, kTensors));
      } else if (round > 0) {  // the first warms up
        r.ns.push_back(static_cast<double>(answer.ns));
        if (answer.first_tensor_ns != 0) r.first_tensor_ns.push_back(static_cast<double>(answer.first_tensor_ns));
        r.peak = std::max(r.peak, peak);
      }
    }
  }
  std::vector<Result> out;
  for (ReaderTimes& r : readings) {
    if (!r.over) tell(r, bytes.size(), terms);
    r.result.raw = r.result.outcome;
    out.push_back(std::move(r.result));
  }
  return out;
}

}  // namespace gcts
