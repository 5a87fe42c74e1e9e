// Findings on their way out.

#include "fuzz/finding.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "reports/escape.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;

// libFuzzer and Centipede read counters in this section like those of edges.
constexpr size_t kCounters = 1 << 12;
#if defined(__linux__)
[[gnu::section("__libfuzzer_extra_counters")]]
#endif
uint8_t counters[kCounters];

uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash ^ hash >> 31;
}

const std::string& folder() {
  static const std::string name = [] {
    const char* set = std::getenv("GCTS_FUZZ_COLLECT");
    return std::string(set ? set : "");
  }();
  return name;
}

std::set<std::string, std::less<>>& known() {
  static std::set<std::string, std::less<>> signatures = [] {
    std::set<std::string, std::less<>> out;
    const char* file = std::getenv("GCTS_FUZZ_KNOWN");
    std::ifstream in(file ? file : "");
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#') out.insert(line);
    return out;
  }();
  return signatures;
}

std::string text_of(const Sighting& s) {
  // One line each, whatever the file and the plugin say.
  return "finding: " + s.signature() + "\nrule: " + s.rule + "\nwhat: " + escape_terminal(s.sentence) + "\n";
}

// Whole or not at all: a campaign may be killed at any moment.
void put_file(const fs::path& path, std::string_view bytes) {
  const fs::path beside = path.string() + "." + std::to_string(getpid()) + ".tmp";
  std::ofstream out(beside, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code error;
  if (out) fs::rename(beside, path, error);
}

void collect(const Sighting& s, std::span<const std::byte> input) {
  static std::map<std::string, uint64_t> smallest;
  const std::string signature = s.signature();
  char name[32];
  std::snprintf(name, sizeof name, "finding-%016llx", static_cast<unsigned long long>(hash_of(signature)));
  const fs::path path = fs::path(folder()) / name;
  std::error_code error;
  const auto [known_size, is_new] = smallest.try_emplace(signature, UINT64_MAX);
  if (is_new) {
    const uint64_t there = fs::file_size(path, error);
    if (!error) known_size->second = there;
  }
  if (input.size() >= known_size->second) return;
  known_size->second = input.size();
  put_file(path.string() + ".txt", text_of(s));
  put_file(path, {reinterpret_cast<const char*>(input.data()), input.size()});
}

}  // namespace

bool collects() { return !folder().empty(); }
bool is_known(std::string_view signature) { return known().contains(signature); }
void add_known(std::string signature) { known().insert(std::move(signature)); }

void report(const Sighting& sighting, std::span<const std::byte> input) {
  if (is_known(sighting.signature())) return;
  if (collects()) return collect(sighting, input);
  std::fputs(text_of(sighting).c_str(), stderr);
  std::abort();
}

void note_feature(uint32_t a, uint32_t b) {
  const uint32_t mixed = (a * 0x9e3779b1u) ^ (b * 0x85ebca6bu);
  uint8_t& counter = counters[(mixed >> 16 ^ mixed) % kCounters];
  if (counter < 255) ++counter;
}

std::string words_of(std::string_view text, size_t most) {
  // What is quoted may hold quotes itself.
  const size_t first = text.find('\''), last = text.rfind('\'');
  std::string out, word;
  bool number = false;
  const auto end_word = [&] {
    if (word.size() > 1 && !number && out.size() + word.size() < most) out += (out.empty() ? "" : " ") + word;
    word.clear();
    number = false;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool quoted = first != text.npos && i >= first && i <= last;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (quoted || (!letter && !digit)) {
      end_word();
      continue;
    }
    number = number || digit;
    word += c;
  }
  end_word();
  return out;
}

}  // namespace gcts
