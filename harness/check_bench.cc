// Measures gguf-cts check on large generated files against cat on the same file.
//
//   check_bench [GIGABYTES [TYPE...]]
//
// For each type one file of random legal blocks, the scale of its last block NaN.  `cat
// FILE >/dev/null` and `gguf-cts check FILE` run in turn, three times each; the best
// of each counts, since whatever else runs can only slow them down.  The share is the time
// of cat by the time of check.  A file that is not judged invalid for its last block
// makes the program end with 1.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reference/codec.h"
#include "reference/tensor_type.h"
#include "reference/writer.h"

extern char** environ;

namespace gcts {
namespace {

constexpr uint64_t kTemplateElements = 1 << 20;

struct Timed {
  double seconds = 0;
  int status = -1;
  long peak_kilobytes = 0;
};

Timed run(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  Timed out;
  if (posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0) {
    rusage usage = {};
    wait4(child, &out.status, 0, &usage);
    out.peak_kilobytes = usage.ru_maxrss;
    out.status = WIFEXITED(out.status) ? WEXITSTATUS(out.status) : -1;
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  posix_spawn_file_actions_destroy(&actions);
  return out;
}

bool write_all(int descriptor, const std::byte* data, size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(descriptor, data, size);
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

// Blocks of random values, quantized.
Bytes template_blocks(const TensorType& type) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.05f);
  std::vector<float> values(kTemplateElements);
  for (float& value : values) value = normal(random);
  Bytes out(kTemplateElements / type.block_elements * type.block_bytes);
  type.codec->quantize(values.data(), nullptr, out.data(), kTemplateElements);
  return out;
}

// A model of one tensor of about `size` bytes whose last block has a NaN scale.
bool write_file(const std::string& path, const TensorType& type, uint64_t size) {
  const Bytes blocks = template_blocks(type);
  const uint64_t copies = std::max<uint64_t>(1, size / blocks.size());
  File model;
  model.set("general.architecture", Value::string("llama"));
  model.set("general.quantization_version", Value::u32(2));
  Tensor tensor;
  tensor.name = "large.weight";
  tensor.type = type.id;
  tensor.dims = {kTemplateElements, copies};
  tensor.offset = 0;
  model.tensors.push_back(tensor);
  const Bytes head = write_bytes(model, {.pad_last_tensor = false});
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  bool good = descriptor >= 0 && write_all(descriptor, head.data(), head.size());
  for (uint64_t i = 0; i < copies && good; ++i) good = write_all(descriptor, blocks.data(), blocks.size());
  for (const BlockField& field : type.codec->fields) {
    if (field.role != FieldRole::scale && field.role != FieldRole::value) continue;
    const std::byte ones[8] = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                               std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
    const off_t at = static_cast<off_t>(head.size() + copies * blocks.size() - type.block_bytes + field.offset);
    good = good && pwrite(descriptor, ones, number_bytes(field.format), at) > 0;
    break;
  }
  good = good && ftruncate(descriptor, static_cast<off_t>(head.size() + align_up(copies * blocks.size(), 32))) == 0;
  return close(descriptor) == 0 && good;
}

// True if the file was judged as it should be.
bool measure(const TensorType& type, uint64_t size, const std::string& path) {
  if (!write_file(path, type, size)) {
    fmt::print("{:<8} cannot be written to {}\n", type.name, path);
    return false;
  }
  Timed cat, check;
  cat.seconds = check.seconds = INFINITY;
  bool found = true;
  run({"cat", path});  // into the page cache, as far as it goes
  for (int i = 0; i < 3; ++i) {
    cat.seconds = std::min(cat.seconds, run({"cat", path}).seconds);
    const Timed once = run({GCTS_PROGRAM, "check", path});
    found = found && once.status == 1;
    check.seconds = std::min(check.seconds, once.seconds);
    check.peak_kilobytes = std::max(check.peak_kilobytes, once.peak_kilobytes);
  }
  const double bytes = static_cast<double>(std::filesystem::file_size(path));
  fmt::print("{:<8} {:>9.2f} {:>9.2f} {:>8.0f} % {:>9.1f}   {}\n", type.name, bytes / cat.seconds / 1e9, bytes / check.seconds / 1e9,
             100 * cat.seconds / check.seconds, static_cast<double>(check.peak_kilobytes) / 1024, found ? "found" : "MISSED");
  return found;
}

}  // namespace
}  // namespace gcts

int main(int argc, char** argv) {
  using namespace gcts;
  const double gigabytes = argc > 1 ? std::atof(argv[1]) : 4;
  std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  if (names.empty()) names = {"f32", "f16", "bf16", "q8_0", "q4_0", "q5_1", "q4_k", "q6_k", "iq4_xs", "tq2_0"};
  const std::string path = (std::filesystem::temp_directory_path() / fmt::format("gcts-check-bench-{}.gguf", getpid())).string();
  fmt::print("check of files of {} GB\n{:<8} {:>9} {:>9} {:>10} {:>9}   NaN in the last block\n", gigabytes, "type", "cat GB/s", "check", "share",
             "MiB used");
  bool good = true;
  for (const std::string& name : names) {
    const TensorType* type = find_tensor_type(std::string_view(name));
    if (type == nullptr || type->codec == nullptr || type->codec->quantize == nullptr) {
      fmt::print("{:<8} has no quantizer\n", name);
      good = false;
      continue;
    }
    good = measure(*type, static_cast<uint64_t>(gigabytes * 1e9), path) && good;
    unlink(path.c_str());
  }
  return good ? 0 : 1;
}
