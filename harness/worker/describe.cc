// Answers what the plugin offers: name, version, capabilities, kernel rows.  The
// reading side is harness/description.cc.

#include "harness/worker/features.h"
#include "harness/worker/session.h"

namespace gcts::worker {

namespace {

void put_device(const Plugin& plugin, WireWriter& out) {
  gcts_device_limits limits{};
  const bool open = plugin.device.open && plugin.no_device.empty();
  if (open && plugin.device.limits) plugin.device.limits(plugin.device.context, &limits);
  limits.name[sizeof(limits.name) - 1] = limits.driver[sizeof(limits.driver) - 1] = '\0';
  out.put_text(plugin.device.name ? plugin.device.name : "");
  out.put_text(limits.name);
  out.put_text(limits.driver);
  out.put<uint64_t>(limits.memory);
  out.put<uint64_t>(limits.largest_allocation);
  out.put<uint32_t>(limits.compute_units);
  out.put<uint32_t>(limits.unmapped_guards);
  out.put_text(plugin.no_device);
}

}  // namespace

bool answer_describe(Session& session, std::span<const uint8_t>) {
  const Plugin& plugin = session.plugin;
  WireWriter& out = session.answer;
  const auto text = [&](const char* value) { out.put_text(value ? value : ""); };
  text(plugin.table.name);
  text(plugin.table.version);
  out.put<uint32_t>(plugin.reader.read != nullptr);
  out.put<uint32_t>(plugin.reader.capabilities);
  out.put<uint32_t>(plugin.writer.write != nullptr);
  out.put<uint32_t>(plugin.writer.capabilities);
  put_device(plugin, out);
  out.put<uint64_t>(plugin.table.kernel_count);
  for (uint64_t i = 0; i < plugin.table.kernel_count; ++i) {
    const gcts_kernel kernel = plugin.kernel(i);
    out.put(kernel.op);
    out.put(kernel.tensor_type);
    out.put(kernel.activation_type);
    out.put(kernel.flags);
    text(kernel.variant);
    text(kernel.features);
    out.put_text(missing_feature(kernel.features ? kernel.features : ""));
    out.put(kernel.alignment);
    out.put(kernel.multiple);
    out.put(kernel.row_multiple);
    out.put(kernel.accuracy);
    out.put<uint32_t>(kernel.prepare != nullptr);
  }
  text(plugin.table.unavailable);
  out.put<uint64_t>(plugin.table.api_check_count);
  for (uint64_t i = 0; i < plugin.table.api_check_count; ++i) {
    const gcts_api_check check = plugin.api_check(i);
    text(check.name);
    text(check.promise);
    out.put(check.ends_by);
  }
  return true;
}

}  // namespace gcts::worker
