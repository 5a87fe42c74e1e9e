// Compiles CUDA source at run time with NVRTC, opened at run time.

#ifndef GCTS_PLUGINS_GPU_NVRTC_H_
#define GCTS_PLUGINS_GPU_NVRTC_H_

#include <string>

#include "cuda_api.h"

namespace gpu {

class Compiler {
 public:
  // GCTS_NVRTC names the library where the system does not find it.  False: `error` says
  // why it is not there.
  bool open();
  std::string version() const;

  // Machine code for "sm_90", PTX for "compute_80", or "" and the compiler's words in `error`.
  std::string compile(const std::string& source, const std::string& name, const std::string& architecture);

  std::string error;

 private:
  cuda::Nvrtc api_;
};

}  // namespace gpu

#endif  // GCTS_PLUGINS_GPU_NVRTC_H_
