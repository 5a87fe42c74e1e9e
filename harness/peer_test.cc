// Implementations by name: what is found, what comes along, and what is left out.

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/locations.h"
#include "harness/peer.h"
#include "harness/spawn_test.h"
#include "reports/report.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCases = "format/valid/tensors/tensor_bytes.three_types";

// A folder of peers as ./dev peers leaves it: one right adapter, one that tells wrong
// contents and has an expected-failure file, one that this machine cannot have, and one
// that nobody has installed.
class Installed {
 public:
  Installed() {
    write("build/peers/right/command", adapter("good"));
    write("build/peers/wrong/command", adapter("wrong"));
    write("build/peers/other/left_out", "needs a compiler of another century\n");
    write("build/peers/ggml/left_out", "needs npm\n");
    write("plugins/process/uninstalled/xfail.json", "{}");
    setenv("GCTS_PEERS_DIR", scratch_.path("build/peers").c_str(), 1);
  }
  ~Installed() { unsetenv("GCTS_PEERS_DIR"); }

  void write(const std::string& name, const std::string& text) const {
    const std::string path = scratch_.path(name);
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }

 private:
  static std::string adapter(const std::string& mode) { return "python3 " GCTS_SOURCE_DIR "/harness/adapter_test.py " + mode + "\n"; }
  ScratchFolder scratch_;
};

bool have_python() {
  if (std::system("python3 -c 'import json' >/dev/null 2>&1") == 0) return true;
  BOOST_TEST_MESSAGE("skipped: there is no python3");
  return false;
}

Report reported(const Ran& ran) {
  Report report;
  std::istringstream in(ran.out);
  std::string error;
  BOOST_TEST(read_jsonl(in, report, error), error << ran.err);
  return report;
}

const Peer* find(const std::vector<Peer>& peers, std::string_view name) {
  for (const Peer& peer : peers) {
    if (peer.name == name) return &peer;
  }
  return nullptr;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(peer)

BOOST_AUTO_TEST_CASE(peers_are_found_with_what_belongs_to_them) {
  const Installed installed;
  installed.write("plugins/process/wrong/xfail.json", "{}");
  const std::vector<Peer> peers = all_peers();
  BOOST_REQUIRE(find(peers, "reference") == &peers[0]);
  BOOST_TEST(peers[0].absent == "");
  BOOST_REQUIRE(find(peers, "right"));
  BOOST_TEST(find(peers, "right")->xfail == "");
  BOOST_TEST(find(peers, "right")->absent == "");
  BOOST_REQUIRE(find(peers, "wrong"));
  BOOST_TEST(find(peers, "wrong")->xfail.ends_with("/plugins/process/wrong/xfail.json"));
  BOOST_REQUIRE(find(peers, "other"));
  BOOST_TEST(find(peers, "other")->absent == "needs a compiler of another century");
  BOOST_REQUIRE(find(peers, "uninstalled"));
  BOOST_TEST(find(peers, "uninstalled")->absent == "not installed: ./dev peers uninstalled");
  // What lies beside the adapter goes before what lies in its source folder.
  installed.write("build/peers/wrong/xfail.json", "{}");
  const std::vector<Peer> again = all_peers();
  BOOST_TEST(find(again, "wrong")->xfail.ends_with("/build/peers/wrong/xfail.json"));
}

BOOST_AUTO_TEST_CASE(all_peers_run_with_their_expected_failures) {
  if (!have_python()) return;
  const Installed installed;
  const std::vector<std::string> words{"run", "--all-peers", "--run", kCases, "--format", "jsonl"};
  const Ran bare = run_program(words);
  BOOST_TEST(bare.status == 1, bare.err);
  const Report report = reported(bare);
  BOOST_TEST(report.subjects.size() >= 3);
  BOOST_TEST(report.absent.size() >= 2);
  BOOST_TEST(report.rules.size() == 1);
  std::string name;
  for (const Result& result : report.results) {
    const Subject& subject = report.subjects[result.subject];
    BOOST_TEST(is_bad(result.outcome) == (subject.locator == "wrong"), result.case_id << ": " << result.message);
    if (!is_bad(result.outcome)) continue;
    name = subject.name;
    BOOST_TEST(result.repro.find("run --peer wrong ") != std::string::npos, result.repro);
    BOOST_TEST(result.repro == subject.line + " --run " + result.case_id);
  }
  installed.write("plugins/process/wrong/xfail.json", "{\"schema\": 1, \"implementation\": \"" + name + "\", \"expected\": []}");
  std::vector<std::string> update{"run", "--peer", "wrong", "--update-xfail", "--run", kCases};
  BOOST_TEST(run_program(update).status == 0);
  const Ran again = run_program({"run", "--peer", "wrong", "--run", kCases, "--format", "jsonl"});
  BOOST_TEST(again.status == 0, again.err);
  for (const Result& result : reported(again).results) BOOST_TEST((result.outcome == Outcome::xfail));
}

// A plugin is there, and what it opens is not: what ./dev peers said of that comes first.
BOOST_AUTO_TEST_CASE(what_a_plugin_opens_may_be_left_out) {
  if (own_plugin("ggml").empty() || !have_python()) return;
  const Installed installed;
  setenv("GCTS_GGML_LIB", "/nonexistent", 1);
  const Report report = reported(run_program({"run", "--all-peers", "--run", kCases, "--format", "jsonl"}));
  unsetenv("GCTS_GGML_LIB");
  std::string reason;
  for (const Absent& absent : report.absent) {
    if (absent.name == "ggml") reason = absent.reason;
  }
  BOOST_TEST(reason.starts_with("needs npm (GCTS_GGML_LIB: "), reason);
}

BOOST_AUTO_TEST_CASE(a_named_peer_that_is_not_there_is_no_run) {
  const Installed installed;
  const Ran absent = run_program({"run", "--peer", "other", "--run", kCases});
  BOOST_TEST(absent.status == 2);
  BOOST_TEST(absent.err.find("needs a compiler of another century") != std::string::npos, absent.err);
  const Ran unknown = run_program({"run", "--peer", "nobody", "--run", kCases});
  BOOST_TEST(unknown.status == 2);
  BOOST_TEST(unknown.err.find("there is no peer 'nobody'") != std::string::npos, unknown.err);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
