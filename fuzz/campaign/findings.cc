// Triage: run alone, told apart, minimised, kept.

#include "fuzz/campaign/findings.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "fuzz/campaign/minimise.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr double kAloneLimit = 40;       // seconds for one input, the engine's own limit is 10
constexpr const char* kRunning = "Running: ";

// An input is judged by what a process of the target says about it alone.
std::vector<std::string> alone(const Engine& engine, const FuzzTarget& target) {
  return {engine.program("fuzz_" + std::string(target.name)), "-timeout=10", "-rss_limit_mb=2048", "-malloc_limit_mb=256"};
}

// The name of the input that was running when the process ended.
std::string last_running(std::string_view output) {
  const size_t at = output.rfind(kRunning);
  if (at == output.npos) return "";
  const std::string_view rest = output.substr(at + std::string_view(kRunning).size());
  return std::string(rest.substr(0, rest.find('\n')));
}

// What cannot be tried hundreds of times: each trial takes as long as a process may.
bool is_costly(const Failure& failure) {
  return failure.kind == "hang" || failure.kind == "timeout" || failure.kind == "slow" || failure.kind == "memory" || failure.kind == "leak";
}

std::string sentence_of_slow(double seconds) { return "took " + std::to_string(seconds) + " seconds"; }

}  // namespace

Bytes read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(data, data + text.size());
}

std::string_view text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

bool write_whole(const std::string& path, std::string_view bytes) {
  const std::string beside = path + "." + std::to_string(getpid()) + ".tmp";
  std::ofstream out(beside, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code error;
  if (!out) return false;
  fs::rename(beside, path, error);
  return !error;
}

FuzzFindings::FuzzFindings(const FuzzTarget& target, const Engine& engine, std::string folder, std::vector<std::string> environment)
    : target_(target), engine_(engine), folder_(std::move(folder)), environment_(std::move(environment)) {
  load();
}

void FuzzFindings::load() {
  std::error_code error;
  std::ifstream in(folder_ + "/triaged");
  for (std::string line; std::getline(in, line);) triaged_.insert(line);
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder_ + "/findings", error))
    if (entry.is_directory() && entry.path().extension() != ".tmp") folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const fs::path& path : folders) {
    std::ifstream text(path / "finding.json");
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object()) continue;
    FuzzFinding finding;
    finding.failure = {json.value("signature", ""), json.value("kind", ""), json.value("rule", ""), json.value("what", "")};
    finding.target = target_.name;
    finding.folder = path.string();
    finding.input = read_whole((path / "input").string());
    finding.seen = json.value("seen", uint64_t{1});
    finding.repeats = json.value("repeats", true);
    findings_.push_back(std::move(finding));
  }
}

EngineRun FuzzFindings::run_on(const std::string& path) const {
  Engine::Order order;
  order.words = alone(engine_, target_);
  order.words.push_back(path);
  order.environment = environment_;
  order.wall_limit = kAloneLimit;
  return Engine::run(order);
}

void FuzzFindings::keep(FuzzFinding finding, const Bytes& original) {
  const auto same = std::find_if(findings_.begin(), findings_.end(), [&](const FuzzFinding& f) { return f.failure.signature == finding.failure.signature; });
  std::error_code error;
  finding.folder = folder_ + "/findings/" + slug_of(finding.failure.signature);
  if (same != findings_.end()) {
    finding.seen = same->seen + 1;
    if (finding.input.size() >= same->input.size()) finding.input = same->input;
    finding.repeats = finding.repeats || same->repeats;
    finding.failure = same->failure;
  }
  const Json json{{"signature", finding.failure.signature}, {"kind", finding.failure.kind}, {"rule", finding.failure.rule},
                  {"what", finding.failure.what}, {"target", finding.target}, {"size", finding.input.size()},
                  {"seen", finding.seen}, {"repeats", finding.repeats}};
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (same == findings_.end()) {
    const std::string beside = finding.folder + ".tmp";
    fs::remove_all(beside, error);
    fs::create_directories(beside, error);
    write_whole(beside + "/input", text_of(finding.input));
    write_whole(beside + "/original", text_of(original));
    write_whole(beside + "/finding.json", text);
    fs::rename(beside, finding.folder, error);
    findings_.push_back(std::move(finding));
  } else {
    write_whole(finding.folder + "/input", text_of(finding.input));
    write_whole(finding.folder + "/finding.json", text);
    *same = std::move(finding);
  }
}

Bytes FuzzFindings::smallest(const Bytes& input, const Failure& failure, double seconds, const std::function<bool()>& stop) const {
  const auto start = Clock::now();
  const auto more = [&] { return !stop() && std::chrono::duration<double>(Clock::now() - start).count() < seconds; };
  const fs::path folder = fs::path(folder_) / "candidates";
  std::error_code error;
  const ShowsFinding shows = [&](std::span<const Bytes> candidates) -> std::optional<size_t> {
    fs::remove_all(folder, error);
    fs::create_directories(folder, error);
    std::vector<size_t> left(candidates.size());
    for (size_t i = 0; i < left.size(); ++i) {
      left[i] = i;
      std::ofstream out(folder / std::to_string(i), std::ios::binary);
      out.write(reinterpret_cast<const char*>(candidates[i].data()), static_cast<std::streamsize>(candidates[i].size()));
    }
    // A candidate that fails otherwise ends the process; those behind it are still to be tried.
    while (!left.empty() && more()) {
      Engine::Order order;
      order.words = alone(engine_, target_);
      for (const size_t i : left) order.words.push_back((folder / std::to_string(i)).string());
      order.environment = environment_;
      order.wall_limit = kAloneLimit;
      const EngineRun run = Engine::run(order);
      if (run.succeeded) return std::nullopt;
      const std::string name = fs::path(last_running(run.output)).filename().string();
      const auto at = std::find_if(left.begin(), left.end(), [&](size_t i) { return std::to_string(i) == name; });
      if (at == left.end()) return std::nullopt;
      if (failure_of(run.output).signature == failure.signature) return *at;
      left.erase(left.begin(), at + 1);
    }
    return std::nullopt;
  };
  Bytes out = minimise(input, target_.kind == "files", shows, more);
  fs::remove_all(folder, error);
  return out;
}

bool FuzzFindings::look_at(const std::string& artefact, double seconds, const std::function<bool()>& stop) {
  const std::string path = folder_ + "/found/" + artefact;
  const Bytes original = read_whole(path);
  const EngineRun run = run_on(path);
  FuzzFinding finding;
  finding.target = target_.name;
  finding.failure = failure_of(run.output);
  finding.input = original;
  if (finding.failure.signature.empty()) {
    if (!run.succeeded) {
      finding.failure = {"ends:" + run.ended, "ends", "", "ends with " + run.ended};
    } else if (artefact.starts_with("slow-unit")) {
      finding.failure = {"slow:", "slow", "", sentence_of_slow(run.wall_seconds)};
    } else {
      // The text beside a collected finding says what it was; of the engine's own artefacts
      // only the name does.
      const Bytes beside = read_whole(path + ".txt");
      finding.failure = failure_of(text_of(beside));
      if (finding.failure.signature.empty()) finding.failure = {"once:" + artefact.substr(0, artefact.find('-')), "once", "", "failed once, and not when run alone"};
      finding.repeats = false;
    }
  }
  const bool is_new = std::none_of(findings_.begin(), findings_.end(), [&](const FuzzFinding& f) { return f.failure.signature == finding.failure.signature; });
  if (is_new && finding.repeats && !is_costly(finding.failure)) finding.input = smallest(original, finding.failure, seconds, stop);
  if (stop()) return false;
  keep(std::move(finding), original);
  return is_new;
}

size_t FuzzFindings::triage(double seconds, const std::function<bool()>& stop) {
  std::error_code error;
  std::vector<std::pair<uint64_t, std::string>> waiting;
  for (const auto& entry : fs::directory_iterator(folder_ + "/found", error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".txt") || name.ends_with(".tmp")) continue;
    // A collected finding is replaced by a smaller one under the same name.
    const std::string key = name + " " + std::to_string(entry.file_size(error));
    if (!triaged_.contains(key)) waiting.emplace_back(entry.file_size(error), name);
  }
  std::sort(waiting.begin(), waiting.end());
  size_t fresh = 0;
  for (const auto& [size, name] : waiting) {
    if (stop()) break;
    fresh += look_at(name, seconds, stop);
    if (stop()) break;
    const std::string key = name + " " + std::to_string(size);
    triaged_.insert(key);
    std::ofstream(folder_ + "/triaged", std::ios::app) << key << "\n";
  }
  return fresh;
}

}  // namespace gcts
