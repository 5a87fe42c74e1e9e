// Faults in what a reader makes of the header, of strings and of keys.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "plugins/faulty/fault.h"
#include "plugins/faulty/harm.h"

namespace gcts::fault {
namespace {

constexpr size_t kMagicAt = 0, kVersionAt = 4, kTensorCountAt = 8, kMetadataCountAt = 16;

bool begins_with(const Bytes& file, std::string_view text) {
  return file.size() >= text.size() && std::memcmp(file.data(), text.data(), text.size()) == 0;
}

void overwrite(Bytes& file, size_t at, std::string_view text) {
  if (file.size() >= at + text.size()) std::memcpy(file.data() + at, text.data(), text.size());
}

// A little-endian field of the file, 0 where it is not there.
template <typename T>
T field(const Bytes& file, size_t at) {
  T value = 0;
  if (file.size() >= at + sizeof value) std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

template <typename T>
void set_field(Bytes& file, size_t at, T value) {
  if (file.size() >= at + sizeof value) std::memcpy(file.data() + at, &value, sizeof value);
}

void take_version_for_3(ReaderHooks& hooks, bool (*mistaken)(uint32_t version)) {
  hooks.misread = [mistaken](Bytes& file) {
    if (mistaken(field<uint32_t>(file, kVersionAt))) set_field<uint32_t>(file, kVersionAt, 3);
  };
}

// Pairs whose last segment is among `names` are lost.
template <size_t n>
void lose_keys(ReaderHooks& hooks, std::array<std::string_view, n> names) {
  hooks.misunderstand = [names](Reading& reading, std::span<const std::byte>) {
    std::erase_if(reading.metadata, [&](const KeyValueView& pair) {
      const std::string_view last = pair.key.substr(pair.key.rfind('.') + 1);
      return std::find(names.begin(), names.end(), last) != names.end();
    });
  };
}

}  // namespace

// ----------------------------------- Header -----------------------------------

void magic_three_bytes(ReaderHooks& hooks) {
  hooks.misread = [](Bytes& file) {
    if (begins_with(file, "GGU")) overwrite(file, kMagicAt, "GGUF");
  };
}

void magic_reversed_accepted(ReaderHooks& hooks) {
  hooks.misread = [](Bytes& file) {
    if (begins_with(file, "FUGG")) overwrite(file, kMagicAt, "GGUF");
  };
}

void magic_test_inverted(ReaderHooks& hooks) {
  hooks.misread = [](Bytes& file) {
    if (!begins_with(file, "gguf")) overwrite(file, kMagicAt, "GGUF");
  };
}

void magic_case_ignored(ReaderHooks& hooks) {
  hooks.misread = [](Bytes& file) {
    if (begins_with(file, "gguf")) overwrite(file, kMagicAt, "GGUF");
  };
}

void legacy_magic_accepted(ReaderHooks& hooks) { hooks.ignore(rule::legacy_magic); }

void version_zero_accepted(ReaderHooks& hooks) {
  take_version_for_3(hooks, [](uint32_t version) { return version == 0; });
}

void version_newer_accepted(ReaderHooks& hooks) {
  take_version_for_3(hooks, [](uint32_t version) { return version > 3 && (version & 0xFFFF) != 0; });
}

// One bit of the version decides on the byte order, and 2 has it.
void version_2_taken_for_big_endian(ReaderHooks& hooks) {
  hooks.misread = [](Bytes& file) {
    if (field<uint32_t>(file, kVersionAt) & 2 && field<uint32_t>(file, kVersionAt) != 3)
      set_field<uint32_t>(file, kVersionAt, 0x03000000);
  };
}

void tensor_count_signed(ReaderHooks& hooks) {
  hooks.misread = [](Bytes& file) {
    if (field<int64_t>(file, kTensorCountAt) < 0) set_field<int64_t>(file, kTensorCountAt, 0);
  };
}

void pair_count_32_bits(ReaderHooks& hooks) {
  hooks.misread = [](Bytes& file) {
    if (field<uint32_t>(file, kVersionAt) == 3)
      set_field<uint64_t>(file, kMetadataCountAt, field<uint32_t>(file, kMetadataCountAt));
  };
}

void counts_allocated(ReaderHooks& hooks) {
  hooks.on_reject = [](const Finding& finding, std::span<const std::byte>) -> std::optional<gcts_status> {
    if (finding.rule == rule::counts_fit_file) occupy_memory();
    return std::nullopt;
  };
}

// Every pair is thought to take a name of 16 bytes and a value of four at least.
void smallest_pair_overestimated(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte> file) {
    if (reading.metadata_count > 0 && reading.metadata_count * 32 > file.size() - 24)
      reading.findings.add(rule::counts_fit_file, kMetadataCountAt, "more pairs than the file can hold");
  };
}

void missing_pairs_made_up(ReaderHooks& hooks) { hooks.ignore(rule::metadata_count_met); }

void header_zero_filled(ReaderHooks& hooks) {
  hooks.misread = [](Bytes& file) {
    if (file.size() >= 4 && file.size() < 24) file.resize(24);
  };
}

void metadata_looked_up_before_counting(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    if (reading.metadata.empty() && !reading.tensors.empty()) dereference_null();
  };
}

// ----------------------------------- Strings ----------------------------------

void string_end_unchecked(ReaderHooks& hooks) { hooks.ignore(rule::string_complete); }

void string_length_signed(ReaderHooks& hooks) {
  hooks.on_reject = [](const Finding& finding, std::span<const std::byte>) -> std::optional<gcts_status> {
    if (finding.rule == rule::string_length_range) std::abort();
    return std::nullopt;
  };
}

void string_length_allocated(ReaderHooks& hooks) {
  hooks.on_reject = [](const Finding& finding, std::span<const std::byte>) -> std::optional<gcts_status> {
    if (finding.rule == rule::string_length_fits_file) occupy_memory();
    return std::nullopt;
  };
}

// The first byte of the next chunk has not arrived yet.
void string_across_chunks_damaged(ReaderHooks& hooks) {
  hooks.misread = [](Bytes& file) {
    constexpr uint64_t kChunk = 4096;
    for (const KeyValueView& pair : read(file, {.stage = Stage::metadata}).metadata) {
      const uint64_t begin = pair.value.offset, end = begin + pair.value.bytes.size();
      const uint64_t boundary = align_up(begin + 1, kChunk);
      if (pair.value.type == ValueType::string && boundary < end) file[boundary] = std::byte{0};
    }
  };
}

void string_cut_at_nul(ReaderHooks& hooks) {
  hooks.change_strings([](std::string_view s) { return std::string(s.substr(0, s.find('\0'))); });
}

void string_trailing_nul_trimmed(ReaderHooks& hooks) {
  hooks.change_strings([](std::string_view s) {
    while (!s.empty() && s.back() == '\0') s.remove_suffix(1);
    return std::string(s);
  });
}

void string_white_space_trimmed(ReaderHooks& hooks) {
  hooks.change_strings([](std::string_view s) {
    const size_t begin = s.find_first_not_of(" \t\r\n"), end = s.find_last_not_of(" \t\r\n");
    return begin == s.npos ? std::string() : std::string(s.substr(begin, end - begin + 1));
  });
}

void string_byte_order_mark_dropped(ReaderHooks& hooks) {
  hooks.change_strings([](std::string_view s) {
    if (s.starts_with("\xEF\xBB\xBF")) s.remove_prefix(3);
    return std::string(s);
  });
}

void string_bad_utf8_replaced(ReaderHooks& hooks) {
  hooks.ignore(rule::string_is_utf8);
  hooks.change_strings([](std::string_view s) {
    std::string changed;
    for (const char c : s) changed += (c & 0x80) ? std::string("\xEF\xBF\xBD") : std::string(1, c);
    return changed;
  });
}

void string_line_ends_converted(ReaderHooks& hooks) {
  hooks.change_strings([](std::string_view s) {
    std::string changed;
    for (size_t i = 0; i < s.size(); ++i)
      if (s[i] != '\r' || i + 1 == s.size() || s[i + 1] != '\n') changed += s[i];
    return changed;
  });
}

void empty_string_lost(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    std::erase_if(reading.metadata, [](const KeyValueView& pair) {
      return pair.value.type == ValueType::string && pair.value.bytes.empty();
    });
  };
}

// ------------------------------------ Keys ------------------------------------

void key_empty_accepted(ReaderHooks& hooks) { hooks.ignore(rule::key_not_empty); }
void key_charset_unchecked(ReaderHooks& hooks) { hooks.ignore(rule::key_charset); }
void key_not_ascii_accepted(ReaderHooks& hooks) { hooks.ignore(rule::key_is_ascii); }
void key_length_unchecked(ReaderHooks& hooks) { hooks.ignore(rule::key_length); }
void key_empty_segment_accepted(ReaderHooks& hooks) { hooks.ignore(rule::key_segments_not_empty); }

void key_cut_at_nul(ReaderHooks& hooks) {
  hooks.ignore(rule::key_without_nul);
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    for (KeyValueView& pair : reading.metadata) pair.key = pair.key.substr(0, pair.key.find('\0'));
  };
}

void key_digit_segment_refused(ReaderHooks& hooks) {
  hooks.misunderstand = [](Reading& reading, std::span<const std::byte>) {
    for (const KeyValueView& pair : reading.metadata)
      for (size_t at = pair.key.find('.'); at != pair.key.npos; at = pair.key.find('.', at + 1))
        if (at + 1 < pair.key.size() && pair.key[at + 1] >= '0' && pair.key[at + 1] <= '9')
          reading.findings.add(rule::key_charset, pair.offset, "a segment begins with a digit");
  };
}

void key_of_prototype_lost(ReaderHooks& hooks) {
  lose_keys(hooks, std::array<std::string_view, 3>{"__proto__", "constructor", "prototype"});
}

void key_of_reader_field_lost(ReaderHooks& hooks) {
  lose_keys(hooks, std::array<std::string_view, 3>{"version", "tensor_count", "kv_count"});
}

}  // namespace gcts::fault
