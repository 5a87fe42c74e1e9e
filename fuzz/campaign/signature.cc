// Output taken apart, line by line.

#include "fuzz/campaign/signature.h"

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace gcts {
namespace {

constexpr size_t kFrames = 3;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

// What follows the label where a line has it.
bool after(std::string_view line, std::string_view label, std::string& out) {
  const size_t at = line.find(label);
  if (at == line.npos) return false;
  out = line.substr(at + label.size());
  return true;
}

std::string first_word(std::string_view text) { return std::string(text.substr(0, text.find_first_of(" ("))); }

bool is_machinery(std::string_view frame) {
  for (const char* name : {"__asan", "__interceptor", "__sanitizer", "__ubsan", "__lsan", "fuzzer::", "LLVMFuzzer", "raise", "abort", "gsignal",
                           "_start", "__libc", "std::", "operator new", "operator delete", "malloc", "calloc", "realloc", "free", "mem", "main"})
    if (frame.starts_with(name)) return true;
  return frame.find("libc.so") != frame.npos || frame.find("asan_") != frame.npos || frame.find("/libstdc++") != frame.npos;
}

// "    #3 0x55.. in function file:line" or "... (module+0x12)", either with "(BuildId: ab12)"
// behind it: the function without its arguments and unnamed namespaces, or the module
// without its folder.
std::string frame_name(std::string_view line) {
  line = line.substr(0, line.find(" (BuildId:"));
  if (const size_t at = line.find(" in "); at != line.npos) {
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    std::string name(line.substr(at + 4));
    for (size_t i; (i = name.find(kUnnamed)) != name.npos;) name.erase(i, kUnnamed.size());
    return name.substr(0, name.find_first_of("( "));
  }
  const size_t at = line.rfind('(');
  if (at == line.npos) return "";
  std::string_view module = line.substr(at + 1);
  module = module.substr(0, module.find_first_of(") "));
  if (const size_t slash = module.rfind('/'); slash != module.npos) module.remove_prefix(slash + 1);
  return std::string(module);
}

// The innermost functions from `from` on, of the first stack there.
std::string stack_from(const std::vector<std::string_view>& lines, size_t from) {
  std::string out;
  size_t taken = 0;
  bool inside = false;
  for (size_t i = from; i < lines.size() && taken < kFrames; ++i) {
    const size_t mark = lines[i].find_first_not_of(' ');
    const bool is_frame = mark != std::string_view::npos && lines[i][mark] == '#';
    if (inside && !is_frame) break;
    if (!is_frame || lines[i].find(" 0x") == std::string_view::npos) continue;
    inside = true;
    const std::string name = frame_name(lines[i]);
    if (name.empty() || is_machinery(name)) continue;
    out += (taken++ == 0 ? "" : " ") + name;
  }
  return out;
}

Failure make(std::string kind, const std::string& place, std::string what) {
  Failure out;
  out.signature = kind + ":" + place;
  out.kind = std::move(kind);
  out.what = std::move(what);
  return out;
}

// "file.cc:12:3: runtime error: ...": the place without its folder and column.
std::string place_of(std::string_view line) {
  std::string_view place = line.substr(0, line.find(": runtime error"));
  if (const size_t slash = place.rfind('/'); slash != place.npos) place.remove_prefix(slash + 1);
  return std::string(place.substr(0, place.rfind(':')));
}

}  // namespace

Failure failure_of(std::string_view output) {
  const std::vector<std::string_view> lines = lines_of(output);
  std::string rest;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("finding: ")) continue;
    Failure out;
    after(lines[i], "finding: ", out.signature);
    if (i + 1 < lines.size()) after(lines[i + 1], "rule: ", out.rule);
    if (i + 2 < lines.size()) after(lines[i + 2], "what: ", out.what);
    const size_t blank = out.signature.find(' '), colon = out.signature.find(':', blank);
    if (blank != std::string::npos && colon != std::string::npos) out.kind = out.signature.substr(blank + 1, colon - blank - 1);
    return out;
  }
  for (const std::string_view line : lines)
    if (after(line, "does not hold: ", rest)) return make("promise", rest, "does not hold: " + rest);
  for (size_t i = 0; i < lines.size(); ++i)
    if (after(lines[i], ": runtime error: ", rest)) return make("undefined", place_of(lines[i]), rest);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (after(lines[i], "ERROR: AddressSanitizer: ", rest)) {
      after(rest, "attempting ", rest);  // to free twice, or what is not allocated
      return make(first_word(rest), stack_from(lines, i), rest.substr(0, rest.find(" at pc")));
    }
    if (after(lines[i], "ERROR: LeakSanitizer: ", rest)) return make("leak", stack_from(lines, i), rest);
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!after(lines[i], "ERROR: libFuzzer: ", rest)) continue;
    const std::string kind = rest.starts_with("out-of-memory") ? "memory" : first_word(rest);
    return make(kind, stack_from(lines, i), rest);
  }
  return {};
}

std::string slug_of(std::string_view signature) {
  constexpr size_t kMost = 60;
  uint64_t hash = 0xcbf29ce484222325;
  std::string out;
  for (const char c : signature) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    if (out.size() >= kMost) continue;
    if (std::isalnum(static_cast<unsigned char>(c))) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!out.empty() && out.back() != '_') out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  char tail[12];
  std::snprintf(tail, sizeof tail, "_%08x", static_cast<unsigned>(hash ^ hash >> 32));
  return out + tail;
}

}  // namespace gcts
