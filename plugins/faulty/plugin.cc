// The table of the faulty plugin: the healthy reader and writer, or those with the
// fault that GCTS_FAULT names.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "plugins/faulty/fault.h"

namespace gcts {
namespace {

constexpr Fault kFaults[] = {
#define FAULT(name, target, check, modelled_on) \
  {#name, FaultTarget::target, [](Hooks& hooks) { fault::name(hooks.target); }},
#include "plugins/faulty/faults.inc"
#include "plugins/faulty/fuzz_faults.inc"
#undef FAULT
};

// The targets' healthy twins.
constexpr Fault kHealthy[] = {
    {"healthy:reader", FaultTarget::reader, [](Hooks&) {}},
    {"healthy:writer", FaultTarget::writer, [](Hooks&) {}},
    {"healthy:template_reader", FaultTarget::template_reader, [](Hooks&) {}},
    {"healthy:kernel", FaultTarget::kernel, [](Hooks&) {}},
};

Hooks& planted() {
  static Hooks hooks;
  return hooks;
}

gcts_status read_planted(const gcts_read_request* request, const gcts_sink* sink) noexcept try {
  return read_with(planted().reader, *request, *sink);
} catch (const std::exception& failure) {
  sink->message(sink->context, failure.what());
  return GCTS_FAILED;
}

gcts_status write_planted(const gcts_write_request* request, const gcts_output* output) noexcept try {
  return write_with(planted().writer, *request, *output);
} catch (const std::exception& failure) {
  output->message(output->context, failure.what());
  return GCTS_FAILED;
}

constexpr gcts_reader kReader = {
    sizeof(gcts_reader),
    GCTS_READS_PATH | GCTS_READS_MEMORY | GCTS_READS_SHARDS | GCTS_READS_TENSOR_BYTES,
    read_planted,
};

constexpr gcts_reader kTemplateReader = {
    sizeof(gcts_reader),
    GCTS_READS_MEMORY | GCTS_READS_TENSOR_BYTES,
    template_read,
};

constexpr gcts_writer kWriter = {
    sizeof(gcts_writer),
    GCTS_WRITES_BIG_ENDIAN | GCTS_WRITES_STRATEGIES | GCTS_WRITES_OLD_VERSIONS,
    write_planted,
};

const Fault* find_fault(const std::string& name) {
  for (const Fault& fault : kFaults)
    if (fault.name == name) return &fault;
  for (const Fault& fault : kHealthy)
    if (fault.name == name) return &fault;
  return nullptr;
}

const gcts_plugin* make_plugin() {
  static std::string name = "faulty";
  static gcts_plugin plugin = {
      .abi_version = GCTS_ABI_VERSION,
      .struct_size = sizeof(gcts_plugin),
      .name = nullptr,
      .version = GCTS_VERSION,
      .reader = &kReader,
      .writer = &kWriter,
      .kernels = nullptr,
      .kernel_count = 0,
      .kernel_size = sizeof(gcts_kernel),
      .reserved = 0,
      .device = nullptr,
      .unavailable = nullptr,
      .api_checks = nullptr,
      .api_check_count = 0,
      .api_check_size = 0,
      .reserved_2 = 0,
  };
  if (const char* chosen = std::getenv("GCTS_FAULT"); chosen && *chosen) {
    const Fault* fault = find_fault(chosen);
    if (!fault) {
      std::fprintf(stderr, "faulty: there is no fault %s\n", chosen);
      return nullptr;
    }
    fault->plant(planted());
    if (fault->target == FaultTarget::kernel) {
      const bool healthy = std::string_view(chosen) == "healthy:kernel";
      const KernelTable table = healthy ? all_kernels() : one_kernel(planted().kernel.op, planted().kernel.type, planted().kernel.variant);
      plugin.reader = nullptr;
      plugin.writer = nullptr;
      plugin.kernels = table.rows;
      plugin.kernel_count = table.count;
    }
    if (fault->target == FaultTarget::template_reader) {
      plugin.reader = &kTemplateReader;
      plugin.writer = nullptr;
    }
    name += std::string(":") + chosen;
  }
  plugin.name = name.c_str();
  return &plugin;
}

}  // namespace

std::span<const Fault> faults() { return kFaults; }

}  // namespace gcts

const gcts_plugin* gcts_plugin_entry(void) {
  static const gcts_plugin* plugin = gcts::make_plugin();
  return plugin;
}
