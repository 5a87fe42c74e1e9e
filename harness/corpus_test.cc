// The verb corpus: what is exported verifies, what is changed is named.

#include <algorithm>
#include <filesystem>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "corpus/case.h"
#include "harness/spawn_test.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(corpus_verb)

BOOST_AUTO_TEST_CASE(the_list_has_every_case) {
  const Ran ran = run_program({"corpus", "list"});
  BOOST_TEST(ran.status == 0);
  BOOST_TEST(static_cast<size_t>(std::count(ran.out.begin(), ran.out.end(), '\n')) == cases().size());
}

BOOST_AUTO_TEST_CASE(an_export_verifies_until_it_is_changed) {
  const ScratchFolder folder;
  const std::string dir = folder.path("corpus");
  BOOST_TEST(run_program({"corpus", "export", dir}).status == 0);
  BOOST_TEST(nlohmann::json::accept(std::string(as_text(bytes_of_file(dir + "/manifest.json")))));
  BOOST_TEST(run_program({"corpus", "verify", dir}).status == 0);
  std::string victim;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir + "/invalid")) {
    if (entry.path().extension() == ".gguf") victim = entry.path().string();
  }
  BOOST_REQUIRE(!victim.empty());
  std::filesystem::remove(victim);
  const Ran ran = run_program({"corpus", "verify", dir});
  BOOST_TEST(ran.status == 1);
  BOOST_TEST(ran.out.find(std::filesystem::path(victim).filename().string()) != std::string::npos, ran.out);
  BOOST_TEST(run_program({"corpus", "verify", folder.path("absent")}).status == 1);
  BOOST_TEST(run_program({"corpus", "export"}).status == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
