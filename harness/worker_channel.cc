// The host's side of a worker.

#include "harness/worker_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "harness/locations.h"
#include "harness/worker/wire.h"

namespace gcts {
namespace {

constexpr double kLoadSeconds = 60;          // a plugin may initialise a GPU while it loads
constexpr int kTickMilliseconds = 20;        // a reader cannot fill 1 GiB between two looks
constexpr uint64_t kTrimAbove = 64u << 20;   // shared memory kept between batches
constexpr uint64_t kErrorsKept = 1u << 20;   // of what the plugin prints
constexpr uint64_t kLastWords = 300;         // of it, shown after a crash

}  // namespace

WorkerChannel::WorkerChannel(const Launch& launch)
    : launch_(launch),
      input_(make_shared_memory("gguf-cts-input")),
      output_(make_shared_memory("gguf-cts-output")),
      errors_(make_shared_memory("gguf-cts-errors")) {
  fcntl(errors_.get(), F_SETFL, O_APPEND);
}

namespace {

// What a thread keeps of freed memory for itself counts as used in mallinfo2, and how much
// that is depends on how threads met: without it a heap that grew is a leak.
std::string exact_heap() {
  const char* given = std::getenv("GLIBC_TUNABLES");
  return std::string("GLIBC_TUNABLES=") + (given && *given ? std::string(given) + ":" : "") + "glibc.malloc.tcache_count=0";
}

}  // namespace

bool WorkerChannel::ensure_started(std::string& error) {
  if (child_.running()) return true;
  received_.clear();
  requests_ = Pipe::make();
  answers_ = Pipe::make();
  std::vector<std::string> words = split_words(launch_.emulator);
  words.push_back(worker_path(launch_.locator, !launch_.emulator.empty()));
  words.push_back(launch_.locator);
  std::vector<std::string> environment = launch_.environment;
  environment.push_back(exact_heap());
  child_ = Child::start(words, environment,
                        {{requests_.read_end.get(), worker::kRequestFd},
                         {answers_.write_end.get(), worker::kAnswerFd},
                         {input_.get(), worker::kInputFd},
                         {output_.get(), worker::kOutputFd},
                         {errors_.get(), 1},
                         {errors_.get(), 2}},
                        error);
  requests_.read_end = Fd();
  answers_.write_end = Fd();
  if (!child_.running()) return false;
  send(worker::Request::describe, 0, {});
  const Limits limits = std::exchange(launch_.limits, {kLoadSeconds, kLoadSeconds, UINT64_MAX});
  baseline_ = {};
  cpu_mark_ = 0;
  worker::Message message{};
  const Waited waited = wait(message, description_);
  launch_.limits = limits;
  if (waited == Waited::answer && message.type == worker::kAnswer + static_cast<uint32_t>(worker::Request::describe)) {
    baseline_ = child_.usage();
    cpu_mark_ = baseline_.cpu_seconds;
    return true;
  }
  if (waited != Waited::answer) {
    error = note_;
  } else if (message.type == worker::kFault && description_.size() == sizeof(worker::FaultAnswer)) {
    worker::FaultAnswer fault;
    std::memcpy(&fault, description_.data(), sizeof(fault));
    error = "crashes while it is loaded: " + describe_fault(fault);
  } else {
    error.assign(description_.begin(), description_.end());
  }
  stop();
  return false;
}

void WorkerChannel::stop() {
  child_ = Child();
  requests_ = Pipe();
  answers_ = Pipe();
}

uint64_t WorkerChannel::place(std::span<const std::byte> bytes, bool at_start) {
  const uint64_t end = align_up(input_end_ + std::max<uint64_t>(bytes.size(), 1), worker::kGuardAlignment);
  const uint64_t start = at_start ? input_end_ : end - bytes.size();
  struct stat now {};
  fstat(input_.get(), &now);
  if (static_cast<uint64_t>(now.st_size) < end && ftruncate(input_.get(), static_cast<off_t>(end)) != 0) {
    return start;  // the worker will say that it cannot map it
  }
  for (uint64_t done = 0; done < bytes.size();) {
    const ssize_t n = pwrite(input_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(start + done));
    if (n <= 0) break;
    done += static_cast<uint64_t>(n);
  }
  input_end_ = end;
  return start;
}

void WorkerChannel::send(worker::Request request, uint32_t id, const std::vector<uint8_t>& payload) {
  worker::WireWriter out;
  out.put(worker::Message{static_cast<uint32_t>(request), id, payload.size()});
  out.put_raw({reinterpret_cast<const char*>(payload.data()), payload.size()});
  const std::vector<uint8_t>& bytes = out.bytes();
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(requests_.write_end.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the worker is gone: wait() will say how
    done += static_cast<size_t>(n);
  }
}

bool WorkerChannel::read_some() {
  const size_t had = received_.size();
  received_.resize(had + 65536);
  ssize_t n;
  do n = ::read(answers_.read_end.get(), received_.data() + had, 65536);
  while (n < 0 && errno == EINTR);
  received_.resize(had + static_cast<size_t>(std::max<ssize_t>(n, 0)));
  return n > 0;
}

bool WorkerChannel::take_message(worker::Message& message, std::vector<uint8_t>& payload) {
  if (received_.size() < sizeof(message)) return false;
  std::memcpy(&message, received_.data(), sizeof(message));
  if (received_.size() - sizeof(message) < message.size) return false;
  const auto begin = received_.begin() + sizeof(message);
  payload.assign(begin, begin + static_cast<ptrdiff_t>(message.size));
  received_.erase(received_.begin(), begin + static_cast<ptrdiff_t>(message.size));
  return true;
}

std::string WorkerChannel::last_words() {
  struct stat now {};
  fstat(errors_.get(), &now);
  const uint64_t size = static_cast<uint64_t>(now.st_size);
  std::string text(std::min(size, kLastWords), '\0');
  const ssize_t n = pread(errors_.get(), text.data(), text.size(), static_cast<off_t>(size - text.size()));
  text.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  if (ftruncate(errors_.get(), 0) != 0) return text;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Waited WorkerChannel::over(Waited why, std::string note) {
  note_ = std::move(note);
  child_.kill();
  child_.reap();
  stop();
  last_words();
  return why;
}

Waited WorkerChannel::wait(worker::Message& message, std::vector<uint8_t>& payload, bool closely) {
  watch_.begin(cpu_mark_, baseline_.anonymous_bytes);
  while (true) {
    if (take_message(message, payload)) {
      if (message.type == worker::kFault) {  // its last message
        child_.kill();
        child_.reap();
        const std::string words = last_words();
        note_ = words.empty() ? "" : " (it printed: " + words + ")";
        stop();
      }
      return Waited::answer;
    }
    struct pollfd ready {answers_.read_end.get(), POLLIN, 0};
    const int polled = poll(&ready, 1, closely ? 1 : kTickMilliseconds);
    if (polled > 0) {
      if (read_some()) continue;
      const std::string words = last_words();
      note_ = "the process ended: " + child_.reap() + (words.empty() ? "" : " (it printed: " + words + ")");
      stop();
      return Waited::ended;
    }
    static constexpr Waited kOver[] = {Waited::answer, Waited::over_wall, Waited::over_cpu, Waited::over_memory};
    const Waited waited = kOver[static_cast<size_t>(watch_.look(child_, launch_.limits))];
    if (waited != Waited::answer) return over(waited, watch_.note());
  }
}

bool WorkerChannel::fetch(uint64_t offset, uint64_t size, std::vector<uint8_t>& out) const {
  struct stat now {};
  fstat(output_.get(), &now);
  const uint64_t there = static_cast<uint64_t>(now.st_size);
  if (offset > there || size > there - offset) return false;
  out.resize(size);
  for (uint64_t done = 0; done < size;) {
    const ssize_t n = pread(output_.get(), out.data() + done, size - done, static_cast<off_t>(offset + done));
    if (n <= 0) return false;
    done += static_cast<uint64_t>(n);
  }
  return true;
}

void WorkerChannel::trim() {
  for (const Fd* memory : {&input_, &output_}) {
    struct stat now {};
    fstat(memory->get(), &now);
    if (static_cast<uint64_t>(now.st_blocks) * 512 > kTrimAbove) {
      fallocate(memory->get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, now.st_size);
    }
  }
  struct stat errors {};
  fstat(errors_.get(), &errors);
  if (static_cast<uint64_t>(errors.st_size) > kErrorsKept) last_words();
}

void WorkerChannel::begin_measuring() {
  child_.reset_peak();
  measure_start_ = child_.usage();
}

uint64_t WorkerChannel::measured_peak(uint64_t shared) const {
  const ProcessUsage usage = child_.usage();
  const auto above = [](uint64_t a, uint64_t b) { return a > b ? a - b : 0; };
  const uint64_t resident = above(usage.peak_resident_bytes, measure_start_.resident_bytes + shared);
  const uint64_t sampled = above(std::max(watch_.most_held(), usage.anonymous_bytes), measure_start_.anonymous_bytes);
  return std::max(resident, sampled);
}

std::string describe_fault(const worker::FaultAnswer& fault) {
  const std::string signal = signal_name(fault.signal);
  const auto bytes = [](int64_t n) { return n == 1 ? std::string("1 byte") : fmt::format("{} bytes", n); };
  static constexpr std::string_view kBuffers[] = {"file",   "weights",         "activations", "ids or importance",
                                                  "output", "prepared weights"};
  const auto which = static_cast<size_t>(fault.buffer);
  const std::string_view buffer = which < std::size(kBuffers) ? kBuffers[which] : "memory";
  switch (fault.place) {
    case worker::FaultPlace::after_input:
      return fmt::format("{}: touches {} past the end of the {}", signal, bytes(fault.distance + 1), buffer);
    case worker::FaultPlace::before_input:
      return fmt::format("{}: touches {} before the start of the {}", signal, bytes(-fault.distance), buffer);
    case worker::FaultPlace::in_input:
      return fmt::format("{}: writes to the read-only {} at offset {}", signal, buffer, fault.distance);
    case worker::FaultPlace::stack:
      return signal + ": the stack is used up";
    case worker::FaultPlace::elsewhere:
      break;
  }
  if (signal == "SIGSEGV" || signal == "SIGBUS") return fmt::format("{} at address {:#x}", signal, fault.address);
  return signal;
}

}  // namespace gcts
