// The exported corpus: complete, verifiable, and the same from every build.

#include "corpus/export.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace gcts {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDigestFile = GCTS_SOURCE_DIR "/corpus/manifest.sha256";

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(fs::temp_directory_path() / ("gcts-corpus-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
  }
  ~TemporaryDirectory() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

BOOST_AUTO_TEST_SUITE(corpus_export)

// manifest.sha256 holds the digest that every build must reproduce.  After a change
// of the corpus: GCTS_UPDATE_MANIFEST=1 corpus_test --run_test=corpus_export
BOOST_AUTO_TEST_CASE(manifest_is_the_one_on_record) {
  const ExportResult result = measure_corpus();
  BOOST_TEST(result.error == "");
  if (std::getenv("GCTS_UPDATE_MANIFEST")) std::ofstream(kDigestFile) << result.manifest_sha256 << "\n";
  BOOST_TEST(contents(kDigestFile) == result.manifest_sha256 + "\n",
             "the corpus differs from the one on record; if that is meant, run GCTS_UPDATE_MANIFEST=1 "
             "corpus_test --run_test=corpus_export");
}

BOOST_AUTO_TEST_CASE(export_and_verify) {
  const TemporaryDirectory dir;
  const ExportResult result = export_corpus(dir.path());
  BOOST_TEST(result.error == "");
  BOOST_TEST(result.manifest_sha256 == measure_corpus().manifest_sha256);
  BOOST_TEST(verify_corpus(dir.path()).empty());
  const auto manifest = nlohmann::json::parse(contents(dir.path() / "manifest.json"));
  BOOST_TEST(manifest["cases"].size() == result.cases);
}

BOOST_AUTO_TEST_CASE(damage_is_found) {
  ExportOptions options;
  options.select = [](const Case& c) { return c.id.find("/arrays/") != std::string::npos; };
  const TemporaryDirectory dir;
  BOOST_TEST(export_corpus(dir.path(), options).error == "");
  BOOST_TEST(verify_corpus(dir.path()).empty());
  const auto manifest = nlohmann::json::parse(contents(dir.path() / "manifest.json"));
  const fs::path victim = dir.path() / manifest["cases"][0]["files"][0]["path"].get<std::string>();
  std::ofstream(victim, std::ios::app) << "x";
  BOOST_TEST(verify_corpus(dir.path()).size() == 1u);
  fs::remove(victim);
  BOOST_TEST(verify_corpus(dir.path()).size() == 1u);
  std::ofstream(dir.path() / "valid" / "stray.gguf") << "x";
  BOOST_TEST(verify_corpus(dir.path()).size() == 2u);
  BOOST_TEST(export_corpus(dir.path(), options).error == "");
  BOOST_TEST(verify_corpus(dir.path()).size() == 1u);
}

BOOST_AUTO_TEST_CASE(problems_are_told) {
  const TemporaryDirectory dir;
  BOOST_TEST(verify_corpus(dir.path()).size() == 1u);
  fs::create_directories(dir.path());
  for (const char* text : {"", "{}", "[1]", "{\"cases\":[{\"files\":[3]}]}", "{\"cases\":{}}"}) {
    std::ofstream(dir.path() / "manifest.json") << text;
    BOOST_TEST(verify_corpus(dir.path()).size() == 1u);
  }
  std::ofstream(dir.path() / "file") << "x";
  BOOST_TEST(!export_corpus(dir.path() / "file").error.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
