// The rows of faults.inc with the functions that plant them.

#ifndef GCTS_PLUGINS_FAULTY_FAULT_H_
#define GCTS_PLUGINS_FAULTY_FAULT_H_

#include "plugins/faulty/hooks.h"
#include "plugins/faulty/template_hooks.h"

namespace gcts {

// The hooks of the one fault that the process runs with.
struct Hooks {
  ReaderHooks reader;
  WriterHooks writer;
  template_hooks& template_reader = hooked;
};

// What a fault sits in.
enum class FaultTarget { reader, writer, template_reader };

struct Fault {
  const char* name;
  FaultTarget target;
  void (*plant)(Hooks& hooks);
};

namespace fault {
using reader_hooks = ReaderHooks;
using writer_hooks = WriterHooks;
using template_reader_hooks = template_hooks;
// One function a row; a row without its function is a link error.
#define FAULT(name, target, check, modelled_on) void name(target##_hooks& hooks);
#include "plugins/faulty/faults.inc"
#undef FAULT
}  // namespace fault

std::span<const Fault> faults();

}  // namespace gcts

#endif  // GCTS_PLUGINS_FAULTY_FAULT_H_
