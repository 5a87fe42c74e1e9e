// The rows of faults.inc and fuzz_faults.inc with the functions that plant them.

#ifndef GCTS_PLUGINS_FAULTY_FAULT_H_
#define GCTS_PLUGINS_FAULTY_FAULT_H_

#include "plugins/faulty/hooks.h"
#include "plugins/faulty/kernel_hooks.h"
#include "plugins/faulty/template_hooks.h"

namespace gcts {

// The hooks of the one fault that the process runs with.
struct Hooks {
  ReaderHooks reader;
  WriterHooks writer;
  template_hooks& template_reader = hooked;
  KernelHooks& kernel = kernel_hooks();
};

// What a fault sits in.
enum class FaultTarget { reader, writer, template_reader, kernel };

struct Fault {
  const char* name;
  FaultTarget target;
  void (*plant)(Hooks& hooks);
};

namespace fault {
using reader_hooks = ReaderHooks;
using writer_hooks = WriterHooks;
using template_reader_hooks = template_hooks;
using kernel_hooks = KernelHooks;

// One function a row; a row without its function is a link error.
#define FAULT(name, target, check, modelled_on) void name(target##_hooks& hooks);
#include "plugins/faulty/faults.inc"
#include "plugins/faulty/fuzz_faults.inc"
#undef FAULT

// The row that a kernel fault sits in.
inline void sit_in(KernelHooks& hooks, gcts_op op, uint32_t type, const char* variant = "faulty") {
  hooks.op = op;
  hooks.type = type;
  hooks.variant = variant;
}
}  // namespace fault

std::span<const Fault> faults();

}  // namespace gcts

#endif  // GCTS_PLUGINS_FAULTY_FAULT_H_
