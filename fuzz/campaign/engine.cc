// Starting, watching and ending the engine.

#include "fuzz/campaign/engine.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/child.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr size_t kKeptOutput = size_t{1} << 18;  // a report of a sanitizer is some 20 KB

bool number_after(std::string_view line, std::string_view label, uint64_t& out) {
  const size_t at = line.find(label);
  if (at == line.npos) return false;
  const char* begin = line.data() + at + label.size();
  const char* end = line.data() + line.size();
  while (begin < end && *begin == ' ') ++begin;
  return std::from_chars(begin, end, out).ec == std::errc();
}

std::string beside_this_program() {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  return (bin / ".." / ".." / "fuzz" / "bin").lexically_normal().string();
}

bool is_program(const std::string& path) { return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); }

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The words under a limit of processor time, which the shell can set and a spawned child cannot.
std::vector<std::string> limited(const std::vector<std::string>& words, uint64_t cpu_limit) {
  if (cpu_limit == 0) return words;
  std::vector<std::string> out{"sh", "-c", "ulimit -t " + std::to_string(cpu_limit) + "; exec \"$@\"", "sh"};
  out.insert(out.end(), words.begin(), words.end());
  return out;
}

// Takes lines out of what came; the rest waits for its end.
class Lines {
 public:
  template <typename Take>
  void add(std::string_view text, Take take) {
    rest_ += text;
    for (size_t end; (end = rest_.find('\n')) != rest_.npos;) {
      take(std::string_view(rest_).substr(0, end));
      rest_.erase(0, end + 1);
    }
  }

 private:
  std::string rest_;
};

}  // namespace

bool parse_progress(std::string_view line, EngineProgress& out) {
  uint64_t executions = 0;
  if (number_after(line, "stat::number_of_executed_units:", executions)) {
    out.executions = executions;
    return true;
  }
  if (!line.starts_with("#") || !number_after(line, "#", executions)) return false;
  out.executions = executions;
  number_after(line, "cov:", out.edges);
  number_after(line, "ft:", out.features);
  number_after(line, "corp:", out.corpus);
  if (!number_after(line, "exec/s:", out.per_second)) number_after(line, "exec/s", out.per_second);
  return true;
}

std::string source_root() {
  std::error_code error;
  const fs::path root = GCTS_SOURCE_DIR;
  return fs::exists(root / "CMakePresets.json", error) ? root.string() : "";
}

Engine::Engine(std::string folder) : folder_(std::move(folder)) {
  if (!folder_.empty()) return;
  const char* set = std::getenv("GCTS_FUZZ_DIR");
  folder_ = set && *set ? set : beside_this_program();
}

std::string Engine::program(std::string_view name) const { return (fs::path(folder_) / name).string(); }

std::string Engine::plugin(std::string_view name) const {
  const fs::path path = (fs::path(folder_) / ".." / "plugins" / (std::string(name) + ".so")).lexically_normal();
  std::error_code error;
  return fs::exists(path, error) ? path.string() : "";
}

bool Engine::prepare(const std::vector<std::string>& programs, std::string& error) const {
  std::vector<std::string> missing;
  for (const std::string& name : programs) {
    const bool is_plugin = name.ends_with(".so");
    const std::string stem = name.substr(0, name.rfind('.'));
    if (is_plugin ? plugin(stem).empty() : !is_program(program(name))) missing.push_back(is_plugin ? "gcts_plugin_" + stem : name);
  }
  if (missing.empty()) return true;
  const std::string root = source_root();
  const fs::path build = root.empty() ? fs::path() : fs::path(root) / "build" / "fuzz";
  if (root.empty() || fs::path(folder_).lexically_normal() != (build / "bin").lexically_normal()) {
    error = program(missing.front()) + " is not there; build it with the preset fuzz, or name its folder with --engines";
    return false;
  }
  std::fprintf(stderr, "building the fuzz targets in %s; the first time takes minutes\n", build.c_str());
  std::error_code ignored;
  Order order;
  if (!fs::exists(build / "build.ninja", ignored)) {
    order.words = {"cmake", "-S", root, "--preset", "fuzz"};
    const EngineRun configured = run(order);
    if (!configured.succeeded) {
      error = "cmake --preset fuzz failed:\n" + configured.output;
      return false;
    }
  }
  order.words = {"ninja", "-C", build.string()};
  order.words.insert(order.words.end(), missing.begin(), missing.end());
  const EngineRun built = run(order);
  if (!built.succeeded) error = "the build of the fuzz targets failed:\n" + built.output;
  return built.succeeded;
}

EngineRun Engine::run(const Order& order) {
  EngineRun out;
  Pipe pipe = Pipe::make();
  std::string error;
  const auto start = Clock::now();
  Child child = Child::start(limited(order.words, order.cpu_limit), order.environment,
                             {{pipe.write_end.get(), 1}, {pipe.write_end.get(), 2}}, error);
  if (!child.running()) {
    out.ended = out.output = error;
    return out;
  }
  pipe.write_end = Fd();
  std::ofstream log;
  if (!order.log.empty()) log.open(order.log, std::ios::app | std::ios::binary);
  Lines lines;
  bool asked_to_end = false;
  char buffer[1 << 14];
  for (;;) {
    pollfd ready{pipe.read_end.get(), POLLIN, 0};
    if (poll(&ready, 1, 200) > 0) {
      const ssize_t n = read(pipe.read_end.get(), buffer, sizeof buffer);
      if (n <= 0) break;
      const std::string_view text(buffer, static_cast<size_t>(n));
      log << text << std::flush;
      out.output += text;
      if (out.output.size() > 2 * kKeptOutput) out.output.erase(0, out.output.size() - kKeptOutput);
      lines.add(text, [&](std::string_view line) {
        if (parse_progress(line, out.progress) && order.on_progress) order.on_progress(out.progress);
      });
    }
    const bool over = order.wall_limit > 0 && seconds_since(start) > order.wall_limit;
    if (!asked_to_end && (over || (order.stop && order.stop()))) {
      child.kill();
      asked_to_end = true;
    }
  }
  out.ended = child.reap();
  out.succeeded = out.ended == "exit status 0";
  out.cpu_seconds = child.cpu_seconds();
  out.wall_seconds = seconds_since(start);
  return out;
}

}  // namespace gcts
