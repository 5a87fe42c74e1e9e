// Measures how many inputs a target takes in a second of processor time.
//
//   throughput_NAME KIND GOAL GOAL_MUTATED
//
// The inputs are the seeds of up to 1 KB: first as they are, then each changed by the
// structure-aware mutator before it runs, as in a campaign.  Prints one line a
// measurement, name, value and goal, and ends 1 if a goal is missed.  Each value is the
// best of many short rounds: other work on the machine can only make a round slower.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "corpus/mutator.h"
#include "fuzz/promise.h"
#include "fuzz/seeds.h"

namespace {

constexpr size_t kLargest = 1024;
constexpr int kRounds = 24;
constexpr std::clock_t kRound = CLOCKS_PER_SEC / 5;  // of processor time

void run(const gcts::Bytes& input) { LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size()); }

// The best round's executions in a second; execute(n) is execution n.
template <class Execute>
double best_rate(Execute execute) {
  constexpr size_t kBetweenLooks = 64;  // at the clock
  double best = 0;
  size_t n = 0;
  for (int round = 0; round < kRounds; ++round) {
    const size_t first = n;
    const std::clock_t start = std::clock();
    std::clock_t end = start;
    while (end - start < kRound) {
      for (size_t i = 0; i < kBetweenLooks; ++i) execute(n++);
      end = std::clock();
    }
    best = std::max(best, static_cast<double>(n - first) * CLOCKS_PER_SEC / static_cast<double>(end - start));
  }
  return best;
}

bool report(const char* name, double rate, double goal) {
  std::printf("fuzz %s %.0f goal >= %.0f\n", name, rate, goal);
  return rate >= goal;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "%s KIND GOAL GOAL_MUTATED\n", argv[0]);
    return 2;
  }
  std::vector<gcts::Bytes> seeds = gcts::make_seeds(argv[1]);
  std::erase_if(seeds, [](const gcts::Bytes& seed) { return seed.size() > kLargest; });
  if (seeds.empty()) {
    std::fprintf(stderr, "there are no seeds of kind %s\n", argv[1]);
    return 2;
  }
  size_t bytes = 0;
  for (const gcts::Bytes& seed : seeds) bytes += seed.size();
  std::printf("fuzz inputs %zu\nfuzz mean_input_bytes %zu\n", seeds.size(), bytes / seeds.size());
  const double plain = best_rate([&](size_t n) { run(seeds[n % seeds.size()]); });
  const gcts::Generator random(1, "throughput");
  const double mutated =
      best_rate([&](size_t n) { run(gcts::mutate(seeds[n % seeds.size()], random.stream(n), kLargest)); });
  const bool met = report("executions_per_cpu_second", plain, std::atof(argv[2]));
  return report("executions_per_cpu_second_mutated", mutated, std::atof(argv[3])) && met ? 0 : 1;
}
