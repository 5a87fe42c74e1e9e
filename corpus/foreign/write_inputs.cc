// Writes what readers on other machines are compared on: the files of the corpus, and
// changes of them.
//
//   write_inputs CHANGES

#include <cstdlib>
#include <vector>

#include "corpus/case.h"
#include "corpus/foreign/inputs.h"
#include "corpus/mutator.h"

using namespace gcts;

int main(int argc, char** argv) {
  constexpr size_t kLargestChanged = 4096;
  const uint64_t changes = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  std::vector<Bytes> small;
  for (const Case& c : cases()) {
    if (c.kind != CaseKind::read || c.size != CaseSize::small) continue;
    for (CaseFile& file : c.files()) {
      if (!put_input(stdout, file.bytes)) return 1;
      if (file.bytes.size() <= kLargestChanged) small.push_back(std::move(file.bytes));
    }
  }
  Generator random(1, "foreign");
  for (uint64_t n = 0; n < changes; ++n)
    if (!put_input(stdout, mutate(small[random.below(small.size())], random.stream(n), 2 * kLargestChanged))) return 1;
  return std::fflush(stdout) == 0 ? 0 : 1;
}
