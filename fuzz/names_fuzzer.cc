// File names: any text is taken, and what was understood gives the text back.

#include <string>
#include <string_view>

#include "fuzz/promise.h"
#include "reference/filename.h"
#include "reference/legacy.h"

using namespace gcts;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  for (const NameReading reading : {NameReading::prose, NameReading::expression}) {
    const ParsedName parsed = parse_file_name(name, reading);
    promise(parsed.follows == parsed.fault.empty(), "a name follows the convention or the fault is told");
    const FileName& p = parsed.parts;
    for (const std::string* part : {&p.sidecar, &p.base_name, &p.size_label, &p.fine_tune, &p.encoding, &p.type, &p.shard})
      promise(name.find(*part) != name.npos, "every component stands in the name");
  }
  if (const auto shard = parse_shard_name(name)) {
    promise(shard_file_name(*shard) == name, "a shard's name is put together as it was");
  }
  recognise_foreign(std::as_bytes(std::span(name)));
  return 0;
}
