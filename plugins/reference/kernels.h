// The reference as kernels: dequantize and quantize are the codecs, vec_dot is the exact
// sum, rounded once.  Nothing is more accurate, and little is slower.

#ifndef GCTS_PLUGINS_REFERENCE_KERNELS_H_
#define GCTS_PLUGINS_REFERENCE_KERNELS_H_

#include <span>

#include "gcts/plugin.h"

namespace gcts {

// Every type with a codec, with a quantizer, with a usual partner; made on the first call.
std::span<const gcts_kernel> reference_kernels();

}  // namespace gcts

#endif  // GCTS_PLUGINS_REFERENCE_KERNELS_H_
