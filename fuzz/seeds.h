// What a campaign and a replay begin with, made from the corpus.

#ifndef GCTS_FUZZ_SEEDS_H_
#define GCTS_FUZZ_SEEDS_H_

#include <string_view>
#include <vector>

#include "reference/gguf.h"

namespace gcts {

// The seeds of a kind of input that targets.inc names, or of `plain`: files of everyday
// kinds without a fault among them.  Empty for any other name.
std::vector<Bytes> make_seeds(std::string_view kind);

}  // namespace gcts

#endif  // GCTS_FUZZ_SEEDS_H_
