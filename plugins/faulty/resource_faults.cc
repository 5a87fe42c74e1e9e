// Faults in how a reader behaves whatever the file says: memory, time, the process.

#include <cstdlib>

#include "plugins/faulty/fault.h"
#include "plugins/faulty/harm.h"

namespace gcts::fault {
namespace {

// Each name is compared with those before it, the way a scan at each insertion does.
// Every 128th of them is enough to be quadratic and to end within the limits.
template <typename Entries, typename NameOf>
void compare_all(const Entries& entries, NameOf name_of) {
  volatile uint64_t equal = 0;
  for (size_t i = 0; i < entries.size(); ++i)
    for (size_t k = 0; k < i; k += 128)
      if (name_of(entries[i]) == name_of(entries[k])) equal = equal + 1;
}

}  // namespace

void duplicate_keys_scanned(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    compare_all(reading.metadata, [](const KeyValueView& pair) { return pair.key; });
  };
}

void duplicate_tensors_scanned(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    compare_all(reading.tensors, [](const TensorView& tensor) { return tensor.name; });
  };
}

void read_one_byte_past_the_end(ReaderHooks& hooks) {
  hooks.before = [](std::span<const std::byte> file) -> std::optional<gcts_status> {
    const volatile std::byte* end = file.data() + file.size();
    static_cast<void>(*end);
    return std::nullopt;
  };
}

void input_written_to(ReaderHooks& hooks) {
  hooks.before = [](std::span<const std::byte> file) -> std::optional<gcts_status> {
    auto* first = const_cast<volatile std::byte*>(file.data());
    if (!file.empty()) *first = *first;
    return std::nullopt;
  };
}

// What the failed reading held is never given back.
void leak_on_reject(ReaderHooks& hooks) {
  hooks.on_reject = [](const Finding&, std::span<const std::byte>) -> std::optional<gcts_status> {
    leak_memory(4096);
    return std::nullopt;
  };
}

void freed_twice_on_reject(ReaderHooks& hooks) {
  hooks.on_reject = [](const Finding& finding, std::span<const std::byte>) -> std::optional<gcts_status> {
    if (finding.rule == rule::tensor_data_complete) free_twice();
    return std::nullopt;
  };
}

void process_ended_on_reject(ReaderHooks& hooks) {
  hooks.on_reject = [](const Finding&, std::span<const std::byte>) -> std::optional<gcts_status> { std::_Exit(1); };
}

void reject_reported_as_failure(ReaderHooks& hooks) {
  hooks.on_reject = [](const Finding&, std::span<const std::byte>) -> std::optional<gcts_status> {
    return GCTS_FAILED;
  };
}

// What the last good file left behind stands in for a header that is cut.
void previous_header_reused(ReaderHooks& hooks) {
  static bool left_behind = false;
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    left_behind = left_behind || reading.findings.empty();
  };
  hooks.on_reject = [](const Finding& finding, std::span<const std::byte>) -> std::optional<gcts_status> {
    if (finding.rule == rule::header_complete && left_behind) return GCTS_OK;
    return std::nullopt;
  };
}

// An index of one byte: pair 256 answers with the value of pair 0.
void pair_index_one_byte(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    for (size_t i = 256; i < reading.metadata.size(); ++i) reading.metadata[i].value = reading.metadata[i % 256].value;
  };
}

}  // namespace gcts::fault
