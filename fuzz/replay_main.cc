// Runs a fuzz target without any engine: over its seeds, over changes of them, and over
// the files and folders named.
//
//   replay_NAME [--seeds KIND] [--changes N] [FILE | FOLDER]...
//
// The changes are the same in every run.  A target that aborts names its input first.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "corpus/mutator.h"
#include "fuzz/promise.h"
#include "fuzz/seeds.h"

namespace {

constexpr size_t kLargestInput = 4096;

std::string now;  // the input that is running

// An abort says which input it was.
extern "C" void name_input(int) {
  std::fprintf(stderr, "input: %s\n", now.c_str());
  std::_Exit(1);
}

void run(std::string name, const gcts::Bytes& input) {
  now = std::move(name);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

bool run_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "%s: cannot be opened\n", path.c_str());
    return false;
  }
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  run(path.string(), gcts::Bytes(data, data + text.size()));
  return true;
}

size_t run_path(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return run_file(path);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return static_cast<size_t>(std::count_if(files.begin(), files.end(), run_file));
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGABRT, name_input);
  std::vector<gcts::Bytes> seeds;
  size_t count = 0, expected = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--seeds" && i + 1 < argc) {
      seeds = gcts::make_seeds(argv[++i]);
      for (size_t s = 0; s < seeds.size(); ++s, ++count) run("seed " + std::to_string(s), seeds[s]);
      ++expected;
    } else if (word == "--changes" && i + 1 < argc) {
      const unsigned long changes = std::strtoul(argv[++i], nullptr, 10);
      gcts::Generator random(changes, "replay");
      for (unsigned long n = 0; n < changes && !seeds.empty(); ++n, ++count) {
        const gcts::Bytes& seed = seeds[random.below(seeds.size())];
        run("change " + std::to_string(n), gcts::mutate(seed, random.stream(n), kLargestInput));
      }
    } else {
      count += run_path(word);
      ++expected;
    }
  }
  if (count < expected || count == 0) {
    std::fprintf(stderr, "nothing was replayed\n");
    return 2;
  }
  std::printf("%zu inputs\n", count);
  return 0;
}
