// Tests of campaigns: output understood, inputs minimised, and nothing lost when killed.
//
// A shell script stands in for the engine: it finds what the test tells it to find.

#define BOOST_TEST_MODULE fuzz
#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/minimise.h"
#include "fuzz/campaign/planted.h"
#include "fuzz/campaign/promote.h"
#include "fuzz/campaign/told.h"
#include "harness/child.h"
#include "reference/reader.h"
#include "reference/writer.h"

using namespace gcts;
namespace fs = std::filesystem;

namespace {

Bytes bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(data, data + text.size());
}

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gguf-cts-test-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  std::string path;
};

// An engine of its own kind: fails on inputs that hold BAD, finds one of them and a unit
// that no crash shows, and goes on until it is killed if it is told to.
constexpr const char* kEngine = R"(#!/bin/sh
merge= fork= found= files=
for word; do
  case "$word" in
    -merge=1) merge=1 ;; -fork=*) fork=1 ;; -artifact_prefix=*) found=${word#*=} ;; -*) ;; *) files="$files $word" ;;
  esac
done
set -- $files
if [ -n "$merge" ]; then cp "$2"/* "$1"/; exit 0; fi
if [ -n "$fork" ]; then
  printf 'some BAD bytes' >"$found/crash-1"
  mkdir -p "$TMPDIR/jobs/C1" "$TMPDIR/jobs/F1"
  printf unit >"$TMPDIR/jobs/C1/unit"
  printf features >"$TMPDIR/jobs/F1/unit"
  echo "#1234: cov: 56 ft: 78 corp: 9 exec/s: 100 oom/timeout/crash: 0/0/1 time: 1s job: 1 dft_time: 0"
  while [ -n "$FAKE_GOES_ON" ]; do sleep 0.1; done
  exit 0
fi
for file; do
  echo "Running: $file"
  if grep -q BAD "$file"; then echo "does not hold: nothing is BAD"; exit 77; fi
done
)";

void put_program(const std::string& path, std::string_view text) {
  std::ofstream(path) << text;
  fs::permissions(path, fs::perms::owner_all);
}

std::string make_engine(const Folder& folder) {
  const std::string bin = folder.path + "/bin";
  fs::create_directories(bin);
  put_program(bin + "/fuzz_names", kEngine);
  put_program(bin + "/write_seeds", "#!/bin/sh\nmkdir -p \"$2\"; printf seed >\"$2/seed_0\"\n");
  put_program(bin + "/write_dictionary", "#!/bin/sh\necho '\"GGUF\"'\n");
  return bin;
}

Child start_campaign(const Folder& folder, bool goes_on) {
  std::string error;
  std::vector<std::string> environment;
  if (goes_on) environment.push_back("FAKE_GOES_ON=1");
  return Child::start({GCTS_PROGRAM, "fuzz", "names", "--engines", folder.path + "/bin", "--folder", folder.path + "/campaigns", "--time", "20"},
                      environment, {}, error);
}

bool wait_for(const fs::path& path) {
  for (int i = 0; i < 300; ++i) {
    if (fs::exists(path)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

std::string text_at(const fs::path& path) { return std::string(text_of(read_whole(path.string()))); }

}  // namespace

BOOST_AUTO_TEST_SUITE(campaign)

BOOST_AUTO_TEST_CASE(progress_is_understood) {
  EngineProgress p;
  BOOST_TEST(parse_progress("#4096\tpulse  cov: 12 ft: 34 corp: 5/67b lim: 4 exec/s: 2048 rss: 30Mb", p));
  BOOST_TEST(p.executions == 4096);
  BOOST_TEST(p.edges == 12);
  BOOST_TEST(p.per_second == 2048);
  BOOST_TEST(parse_progress("#99: cov: 1 ft: 2 corp: 3 exec/s: 4 oom/timeout/crash: 0/0/0 time: 5s job: 6 dft_time: 0", p));
  BOOST_TEST(p.corpus == 3);
  BOOST_TEST(parse_progress("stat::number_of_executed_units: 777", p));
  BOOST_TEST(p.executions == 777);
  BOOST_TEST(!parse_progress("INFO: seed corpus: files: 3", p));
  BOOST_TEST(!parse_progress("    #0 0x55 in f", p));
}

BOOST_AUTO_TEST_CASE(failures_are_told_apart) {
  const Failure finding = failure_of("noise\nfinding: faulty:x accepts:tensor_rank\nrule: tensor_rank\nwhat: accepts a file\n");
  BOOST_TEST(finding.signature == "faulty:x accepts:tensor_rank");
  BOOST_TEST(finding.kind == "accepts");
  BOOST_TEST(finding.rule == "tensor_rank");
  BOOST_TEST(failure_of("does not hold: a copy is whole\n").signature == "promise:a copy is whole");
  BOOST_TEST(failure_of("/a/b/reader.cc:12:7: runtime error: shift exponent 64\n").signature == "undefined:reader.cc:12");
  const Failure overrun = failure_of(
      "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1 at pc 0x2\nREAD of size 1\n"
      "    #0 0x1 in __asan_memcpy x.cc:1\n    #1 0x2 in gcts::decode(int) y.cc:2\n    #2 0x3 in gcts::read y.cc:3\n    #3 0x4  (/a/b/libx.so+0x12)\n\n"
      "    #0 0x9 in allocated_by\n");
  BOOST_TEST(overrun.kind == "heap-buffer-overflow");
  BOOST_TEST(overrun.signature == "heap-buffer-overflow:gcts::decode gcts::read libx.so+0x12");
  const Failure twice = failure_of(
      "==1==ERROR: AddressSanitizer: attempting double-free on 0x1 in thread T0:\n    #0 0x1 in free x.cc:1\n"
      "    #1 0x2 in gcts::(anonymous namespace)::drop(int) y.cc:2\n    #2 0x3  (/a/b/libx.so+0x12) (BuildId: 0a1b)\n"
      "    #3 0x4 in outer(int) (/a/b/liby.so+0x13) (BuildId: 0a1c)\n\n");
  BOOST_TEST(twice.signature == "double-free:gcts::drop libx.so+0x12 outer");
  BOOST_TEST(failure_of("==1== ERROR: libFuzzer: timeout after 10 seconds\n").kind == "timeout");
  BOOST_TEST(failure_of("==1== ERROR: libFuzzer: out-of-memory (malloc(4294967296))\n").kind == "memory");
  BOOST_TEST(failure_of("all is well\n").signature == "");
  BOOST_TEST(slug_of("a b:c") != slug_of("a b:d"));
  BOOST_TEST(slug_of("../../etc").find('/') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(inputs_are_minimised) {
  const auto holds = [](std::string_view needle) -> ShowsFinding {
    return [needle](std::span<const Bytes> candidates) -> std::optional<size_t> {
      for (size_t i = 0; i < candidates.size(); ++i)
        if (text_of(candidates[i]).find(needle) != std::string_view::npos) return i;
      return std::nullopt;
    };
  };
  const auto more = [] { return true; };
  BOOST_TEST(text_of(minimise(bytes_of("a long input with a NEEDLE in it"), false, holds("NEEDLE"), more)) == "NEEDLE");
  File file;
  for (int i = 0; i < 20; ++i) file.set("key" + std::to_string(i), Value::string("value"));
  file.set("here", Value::u8(1));
  file.tensors.push_back({"weight", 0, {8}, Bytes(32), {}});
  const Bytes small = minimise(write_bytes(file), true, [](std::span<const Bytes> candidates) -> std::optional<size_t> {
    for (size_t i = 0; i < candidates.size(); ++i) {
      const Reading reading = read(candidates[i]);
      if (reading.complete && reading.find("here") && !reading.tensors.empty()) return i;
    }
    return std::nullopt;
  }, more);
  const Reading reading = read(small);
  BOOST_TEST(reading.metadata.size() == 1);
  BOOST_TEST(reading.tensors.size() == 1);
  BOOST_TEST(small.size() < 100);
}

BOOST_AUTO_TEST_CASE(bytes_and_digits) {
  Bytes bytes;
  BOOST_TEST(bytes_of_hex("47 47\n55ff", bytes));
  BOOST_TEST(hex_of(bytes) == "474755ff");
  BOOST_TEST(!bytes_of_hex("4", bytes));
  BOOST_TEST(!bytes_of_hex("4g", bytes));
}

// What was found before the kill is there after it, and what lay in the jobs' own
// folders joins the corpus.
BOOST_AUTO_TEST_CASE(a_killed_campaign_loses_nothing) {
  const Folder folder;
  make_engine(folder);
  const fs::path at = fs::path(folder.path) / "campaigns" / "names";
  Child first = start_campaign(folder, true);
  BOOST_REQUIRE(first.running());
  BOOST_REQUIRE(wait_for(at / "scratch" / "jobs" / "F1" / "unit"));
  ::kill(first.pid(), SIGKILL);  // the program alone: its engine lives on
  first.reap();
  BOOST_TEST(!fs::exists(at / "corpus" / "unit"));

  Child second = start_campaign(folder, false);
  BOOST_REQUIRE(second.running());
  BOOST_TEST(second.reap() == "exit status 1");  // there are findings
  BOOST_TEST(text_at(at / "corpus" / "unit") == "unit");
  size_t findings = 0;
  for (const auto& entry : fs::directory_iterator(at / "findings")) {
    ++findings;
    BOOST_TEST(text_at(entry.path() / "input") == "BAD");
    BOOST_TEST(text_at(entry.path() / "original") == "some BAD bytes");
    BOOST_TEST(text_at(entry.path() / "finding.json").find("promise:nothing is BAD") != std::string::npos);
  }
  BOOST_TEST(findings == 1);
  const std::string report = text_at(fs::path(folder.path) / "campaigns" / "report.md");
  BOOST_TEST(report.find("--input hex:424144") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_finding_becomes_a_regression) {
  const Folder folder;
  fs::create_directories(folder.path + "/fuzz/regressions");
  FuzzFinding finding;
  finding.target = "reader";
  finding.folder = "/somewhere/findings/a_name";
  finding.input = bytes_of("GGUX");
  std::string told;
  BOOST_TEST(promote(finding, folder.path, told));
  BOOST_TEST(text_at(folder.path + "/fuzz/regressions/reader/a_name") == "GGUX");
  BOOST_TEST(text_at(folder.path + "/fuzz/regressions/verdicts.tsv") == "reader\ta_name\tinvalid\tinvalid\tmagic_is_gguf\n");
  BOOST_TEST(!promote(finding, folder.path, told));
}

// Every regression has a line, and the reference still says what the line says.
BOOST_AUTO_TEST_CASE(regressions_have_their_verdicts) {
  const fs::path folder = fs::path(GCTS_SOURCE_DIR) / "fuzz" / "regressions";
  std::set<std::string> lines, expected;
  std::stringstream text(text_at(folder / "verdicts.tsv"));
  for (std::string line; std::getline(text, line);) lines.insert(line + "\n");
  for (const FuzzTarget& target : fuzz_targets()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder / target.name, error))
      expected.insert(verdict_line(target, entry.path().filename().string(), read_whole(entry.path().string())));
  }
  BOOST_TEST(!expected.empty());
  BOOST_CHECK_EQUAL_COLLECTIONS(lines.begin(), lines.end(), expected.begin(), expected.end());
}

BOOST_AUTO_TEST_CASE(planted_results_are_kept_as_lines) {
  PlantedResult result{"rank_5_accepted", 2, "bytes", true, true, 1.25, 4321, 60, "faulty:rank_5_accepted accepts:tensor_rank"};
  PlantedResult back;
  BOOST_REQUIRE(parse_result_line(result_line(result), back));
  BOOST_TEST(result_line(back) == result_line(result));
  BOOST_TEST(!parse_result_line("rank_5_accepted\t2", back));
  // A miss, an alarm of a control and an artefact that does not repeat are no success.
  std::string told;
  result.mutator = "structure";
  BOOST_TEST(planted_goal_met(std::span(&result, 1), 0, told));
  result.confirmed = false;
  BOOST_TEST(!planted_goal_met(std::span(&result, 1), 0, told));
  result.fault = "healthy:reader";
  BOOST_TEST(!planted_goal_met(std::span(&result, 1), 0, told));
}

BOOST_AUTO_TEST_CASE(planted_bugs_are_thirty_four_and_ten) {
  const auto count = [](std::string_view tier) {
    return std::count_if(planted_bugs().begin(), planted_bugs().end(), [&](const PlantedBug& bug) { return bug.tier == tier; });
  };
  BOOST_TEST(count("easy") == 30);
  BOOST_TEST(count("spare") == 4);
  BOOST_TEST(count("hard") == 10);
  static const std::set<std::string_view> faults = {
#define FAULT(name, target, check, modelled_on) #name,
#include "plugins/faulty/faults.inc"
#include "plugins/faulty/fuzz_faults.inc"
#undef FAULT
  };
  for (const PlantedBug& bug : planted_bugs())
    if (bug.tier != "control") BOOST_TEST(faults.contains(bug.fault), bug.fault);
}

BOOST_AUTO_TEST_SUITE_END()
