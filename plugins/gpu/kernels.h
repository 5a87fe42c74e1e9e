// The tables of the kernels, and of the loops that they are a share of.

#ifndef GCTS_PLUGINS_GPU_KERNELS_H_
#define GCTS_PLUGINS_GPU_KERNELS_H_

#include <span>

#include "gcts/plugin.h"
#include "source.h"

namespace gpu {

std::span<const gcts_kernel> kernels();
std::span<const gcts_device_ceiling> ceilings();
std::span<const Program> ceiling_programs();
// The program of each row; rows may share one.
const Program& program_of(const gcts_kernel& kernel);

}  // namespace gpu

#endif  // GCTS_PLUGINS_GPU_KERNELS_H_
