// write_vectors DIR: makes the known-answer documents, DIR/<type>.json for every type.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "corpus/vectors.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_vectors DIR\n");
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  for (const gcts::TensorType& type : gcts::tensor_types()) {
    if (type.codec == nullptr) continue;
    const std::filesystem::path path = directory / (std::string(type.name) + ".json");
    std::ofstream out(path, std::ios::binary);
    out << gcts::vectors_json(type);
    out.close();
    if (!out) {
      std::fprintf(stderr, "write_vectors: cannot write %s\n", path.c_str());
      return 1;
    }
  }
  return 0;
}
