// The source text of the kernels, one program a kernel.

#ifndef GCTS_PLUGINS_GPU_SOURCE_H_
#define GCTS_PLUGINS_GPU_SOURCE_H_

#include <string>

namespace gpu {

// What a program holds: the name of its one kernel, and the line that makes it of the
// macros of source/.
struct Program {
  const char* kernel;   // "dequantize_q4_0"
  const char* line;     // "GPU_DEQUANTIZE(q4_0, 32, 18)"
};

// Everything that the line needs, in front of it.
std::string source_of(const Program& program);

// Changes the text of a program.  The healthy plugin changes nothing; what is linked in
// its place makes the one deliberate bug that GCTS_FAULT names.
void change_source(const Program& program, std::string& text);

}  // namespace gpu

#endif  // GCTS_PLUGINS_GPU_SOURCE_H_
