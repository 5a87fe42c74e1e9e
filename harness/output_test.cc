// Output that is lost: every verb ends quietly when its reader has gone, and says so when
// its bytes find no room.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "harness/locations.h"
#include "harness/spawn_test.h"
#include "reference/tensor_type.h"
#include "reference/writer.h"
#include "reports/report.h"

namespace gcts {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kVerbs[] = {
#define VERB(name, summary) #name,
#include "harness/verbs.inc"
#undef VERB
};

std::string spelled(std::string_view verb) {
  std::string out(verb);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

// Command lines that print, of every verb.
std::vector<Words> printing(const ScratchFolder& folder) {
  const std::string model = folder.write("model.gguf", write_bytes(sample_model({tensor::q4_0, tensor::f32})));
  const std::string kept = GCTS_SOURCE_DIR "/reports/golden/sample.jsonl";
  std::vector<Words> out{{"--help"}, {"--version"}};
  for (const std::string_view verb : kVerbs) out.push_back({spelled(verb), "--help"});
  for (const char* what : {"cases", "rules", "types", "formats", "faults", "kernels"}) out.push_back({"list", what});
  for (const char* name : {"magic_is_gguf", "q4_0", "format/invalid/header/magic_present.no_bytes", "key_empty_accepted"}) out.push_back({"explain", name});
  for (const char* option : {"--profile=spec", "--json", "--summary"}) out.push_back({"check", model, option});
  for (const char* option : {"--context=8", "--json"}) out.push_back({"show", model, option});
  out.push_back({"dump-tensor", model, "blk.0.q4_0.weight"});
  out.push_back({"quantize", model, folder.path("out.gguf"), "--type", "q8_0"});
  out.push_back({"corpus", "list"});
  out.push_back({"corpus", "verify", folder.path("")});
  out.push_back({"report", "merge", kept});
  for (const Format& format : formats()) out.push_back({"report", "render", kept, "--format", std::string(format.name)});
  out.push_back({"report", "compare", kept, kept});
  out.push_back({"run", "--plugin", own_plugin("reference"), "--run", "format/valid/header"});
  out.push_back({"check-adapter", "true"});
  return out;
}

std::string line(const Words& words) {
  std::string out;
  for (const std::string& word : words) out += " " + word;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(output)

BOOST_AUTO_TEST_CASE(every_verb_is_tried) {
  const ScratchFolder folder;
  for (const std::string_view verb : kVerbs) {
    if (verb == "bench" || verb == "fuzz") continue;  // they measure, or build, before they print: help alone
    bool tried = false;
    for (const Words& words : printing(folder)) tried |= words[0] == spelled(verb) && words[1] != "--help";
    BOOST_TEST(tried, verb);
  }
}

BOOST_AUTO_TEST_CASE(a_reader_that_has_gone_ends_every_verb_quietly) {
  const ScratchFolder folder;
  for (const Words& words : printing(folder)) {
    int unread[2];
    BOOST_REQUIRE(pipe2(unread, O_CLOEXEC) == 0);
    close(unread[0]);
    const Ran ran = run_program(words, {}, 60, unread[1]);
    close(unread[1]);
    BOOST_TEST(ran.status == 128 + SIGPIPE, line(words) << ": " << ran.status);
    BOOST_TEST(ran.err == "", line(words) << ": " << ran.err);
  }
}

BOOST_AUTO_TEST_CASE(output_that_finds_no_room_is_told) {
  const ScratchFolder folder;
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  BOOST_REQUIRE(full >= 0);
  for (const Words& words : printing(folder)) {
    const Ran ran = run_program(words, {}, 60, full);
    BOOST_TEST(ran.status == 2, line(words) << ": " << ran.status);
    BOOST_TEST(ran.err == "gguf-cts: standard output cannot be written\n", line(words) << ": " << ran.err);
  }
  close(full);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
