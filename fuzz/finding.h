// What a target that watches foreign code has found, and what becomes of it.
//
// Two sightings are one finding when their signatures are equal: who, what kind, and the
// rule, the places in the code or the words that tell it from others.
//
//   template accepts:string_is_utf8
//   ggml crash:SIGABRT libggml-base.so+0x1f3a
//
// By itself a finding ends the process with its signature, so that any engine keeps the
// input.  Where GCTS_FUZZ_COLLECT names a folder it is written there instead, the
// smallest input of each signature, and the target goes on: a library that fails at every
// tenth input does not stop a campaign.  GCTS_FUZZ_KNOWN names a file of signatures that
// are no news.

#ifndef GCTS_FUZZ_FINDING_H_
#define GCTS_FUZZ_FINDING_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gcts {

struct Sighting {
  std::string subject;   // name of the plugin
  std::string kind;      // "accepts", "contents", "crash", ...
  std::string what;      // what makes it the same finding again
  std::string rule;      // of the catalogue; "" where none is broken
  std::string sentence;  // for people

  std::string signature() const { return subject + " " + kind + ":" + what; }
};

// Is the signature one of GCTS_FUZZ_KNOWN, or of those that add_known() named?
bool is_known(std::string_view signature);
void add_known(std::string signature);

// Ends the process, or returns where findings are collected or this one is known.
void report(const Sighting& sighting, std::span<const std::byte> input);
bool collects();

// Tells the engine, where it can be told, that something came about that no edge of the
// code shows: a pair of numbers, counted.
void note_feature(uint32_t a, uint32_t b);

// The words of a text without quotations, single letters and whatever holds a digit, cut:
// texts that differ in those only are one.
std::string words_of(std::string_view text, size_t most = 48);

}  // namespace gcts

#endif  // GCTS_FUZZ_FINDING_H_
