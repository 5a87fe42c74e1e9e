// Writes the seeds of a kind of input, one file each: what an engine starts from.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/seeds.h"

int main(int argc, char** argv) {
  const std::vector<gcts::Bytes> seeds = argc == 3 ? gcts::make_seeds(argv[1]) : std::vector<gcts::Bytes>{};
  if (seeds.empty()) {
    std::fprintf(stderr, "write_seeds files|plain|blocks|calls|text|replies FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[2];
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (size_t i = 0; i < seeds.size(); ++i) {
    std::ofstream out(folder / ("seed_" + std::to_string(i)), std::ios::binary);
    out.write(reinterpret_cast<const char*>(seeds[i].data()), static_cast<std::streamsize>(seeds[i].size()));
    if (!out.flush()) {
      std::fprintf(stderr, "%s: cannot be written to\n", argv[2]);
      return 1;
    }
  }
  return 0;
}
