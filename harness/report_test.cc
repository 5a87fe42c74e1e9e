// The verb report on kept results.

#include <fstream>

#include <boost/test/unit_test.hpp>

#include "harness/spawn_test.h"
#include "reports/report.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(report_verb)

BOOST_AUTO_TEST_CASE(kept_results_are_rendered_merged_and_compared) {
  const std::string kept = GCTS_SOURCE_DIR "/reports/golden/sample.jsonl";
  const ScratchFolder folder;
  for (const Format& format : formats()) {
    BOOST_TEST(run_program({"report", "render", kept, "--format", std::string(format.name)}).status == 0);
  }
  BOOST_TEST((run_program({"report", "merge", kept, kept}).out == run_program({"report", "merge", kept}).out));
  std::string text(as_text(bytes_of_file(kept)));
  const size_t reason = text.find(",\"void_reason\"");
  text.replace(reason, text.find('}', reason) - reason, "");  // a void run is no measure
  std::ofstream(folder.path("before.jsonl")) << text;
  const size_t at = text.find("\"outcome\":\"pass\"");
  text.replace(at, 16, "\"outcome\":\"fail\"");
  std::ofstream(folder.path("after.jsonl")) << text;
  BOOST_TEST(run_program({"report", "compare", kept, kept}).status == 2);
  BOOST_TEST(run_program({"report", "compare", folder.path("before.jsonl"), folder.path("before.jsonl")}).status == 0);
  const Ran worse = run_program({"report", "compare", folder.path("before.jsonl"), folder.path("after.jsonl")});
  BOOST_TEST(worse.status == 1);
  BOOST_TEST(worse.out.find("1 worse, 0 better") != std::string::npos, worse.out);
  BOOST_TEST(run_program({"report", "compare", folder.path("after.jsonl"), folder.path("before.jsonl")}).status == 0);
  BOOST_TEST(run_program({"report", "render", folder.path("absent")}).status == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
