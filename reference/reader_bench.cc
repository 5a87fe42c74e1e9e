// Measures the reader: how its time grows with the number of tensors, and how fast it
// goes through long arrays of strings.
//
// Prints one line a measurement, name, value and goal, and ends 1 if a goal is missed:
//   tensors_ratio    time for 200,000 tensors over time for 100,000; goal at most 2.5
//   strings_mbps     MB/s on a file of two arrays of 1,000,000 strings; goal at least 200
// Each time is the median of 11 reads from memory, in processor time, without making
// the files.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <string>

#include "reference/gguf.h"
#include "reference/reader.h"
#include "reference/writer.h"

namespace gcts {
namespace {

constexpr double kGoalRatio = 2.5;
constexpr double kGoalSpeed = 200;

Bytes many_tensors(uint64_t count) {
  File file;
  file.set("general.architecture", Value::string("test"));
  for (uint64_t i = 0; i < count; ++i)
    file.tensors.push_back({fmt::format("blk.{}.weight", i), 0, {8}, Bytes(32), std::nullopt});
  return write_bytes(file);
}

// Words of 4 to 19 bytes, one in eight of them beyond ASCII, as in vocabularies.
Bytes many_strings(uint64_t count) {
  const auto words = [&](std::string_view stem) {
    std::vector<std::string> all;
    for (uint64_t i = 0; i < count; ++i)
      all.push_back(fmt::format("{}{}{}", std::string(i % 12, 'a'), i % 8 == 0 ? "\xc4\xa0" : stem, i));
    return Value::strings(std::move(all));
  };
  File file;
  file.set("general.architecture", Value::string("test"));
  file.set("tokenizer.ggml.tokens", words("t"));
  file.set("tokenizer.ggml.merges", words("m "));
  return write_bytes(file);
}

constexpr int kRounds = 11;

// Processor time of one read, so that other work on the machine counts little.
double seconds(const Bytes& bytes) {
  const std::clock_t start = std::clock();
  const Reading reading = read(bytes);
  const std::clock_t end = std::clock();
  if (!reading.complete) std::abort();
  return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

double median(std::array<double, kRounds> times) {
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

int run() {
  const Bytes few = many_tensors(100'000), many = many_tensors(200'000), strings = many_strings(1'000'000);
  std::array<double, kRounds> few_times, many_times, strings_times;
  // In turns, so that a change of the machine's clock meets all three.
  for (int i = 0; i < kRounds; ++i) {
    few_times[i] = seconds(few);
    many_times[i] = seconds(many);
    strings_times[i] = seconds(strings);
  }
  const double small = median(few_times), large = median(many_times);
  const double ratio = large / small;
  fmt::print("reader tensors_100000_ms {:.2f}\n", small * 1e3);
  fmt::print("reader tensors_200000_ms {:.2f}\n", large * 1e3);
  fmt::print("reader tensors_ratio {:.2f} goal <= {}\n", ratio, kGoalRatio);

  const double speed = static_cast<double>(strings.size()) / 1e6 / median(strings_times);
  fmt::print("reader strings_mbps {:.0f} goal >= {}\n", speed, kGoalSpeed);
  return ratio <= kGoalRatio && speed >= kGoalSpeed ? 0 : 1;
}

}  // namespace
}  // namespace gcts

int main() { return gcts::run(); }
