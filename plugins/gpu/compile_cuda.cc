// compile_cuda ARCHITECTURE... [--out FOLDER]: compiles every kernel with NVRTC, as the
// CUDA plugin would, for GPUs that need not be there: sm_90 for machine code, compute_75 for
// PTX.  With a folder, one file a kernel and architecture is left in it; GCTS_CUDA_KERNELS
// gives it to the plugin.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "kernels.h"
#include "nvrtc.h"

int main(int argc, char** argv) {
  std::vector<std::string> architectures;
  std::string folder;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--out") == 0 && i + 1 < argc) folder = argv[++i];
    else architectures.emplace_back(argv[i]);
  }
  if (architectures.empty()) {
    std::fprintf(stderr, "usage: compile_cuda ARCHITECTURE... [--out FOLDER]\n");
    return 2;
  }
  gpu::Compiler compiler;
  if (!compiler.open()) {
    std::printf("skip: %s\n", compiler.error.c_str());
    return 0;
  }
  std::map<std::string, const gpu::Program*> programs;  // rows may share one
  for (const gcts_kernel& kernel : gpu::kernels()) programs[gpu::program_of(kernel).kernel] = &gpu::program_of(kernel);
  for (const gpu::Program& program : gpu::ceiling_programs()) programs[program.kernel] = &program;
  size_t bytes = 0, failed = 0;
  for (const auto& [name, named] : programs) {
    const gpu::Program& program = *named;
    for (const std::string& architecture : architectures) {
      const std::string code = compiler.compile(gpu::source_of(program), program.kernel, architecture);
      if (code.empty()) {
        std::printf("%s\n", compiler.error.c_str());
        ++failed;
        continue;
      }
      bytes += code.size();
      if (folder.empty()) continue;
      const std::string kind = architecture.starts_with("compute_") ? "ptx" : architecture + ".cubin";
      std::ofstream file(folder + "/" + program.kernel + "." + kind, std::ios::binary);
      if (!file.write(code.data(), static_cast<std::streamsize>(code.size()))) {
        std::printf("%s: cannot be written\n", folder.c_str());
        return 1;
      }
    }
  }
  std::printf("NVRTC %s: %zu kernels for %zu architectures, %zu bytes of machine code, %zu failed\n", compiler.version().c_str(),
              programs.size(), architectures.size(), bytes, failed);
  return failed == 0 ? 0 : 1;
}
