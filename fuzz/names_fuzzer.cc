// File names: any text is taken, and what was understood gives the text back.

#include <string>
#include <string_view>

#include "fuzz/promise.h"
#include "reference/filename.h"
#include "reference/legacy.h"
#include "reference/split.h"

using namespace gcts;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint32_t kFewShards = 16;
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
    if (shard->count >= 1 && shard->count <= kFewShards) {
      promise(shard_names(name).size() == shard->count, "a set has as many names as its count says");
      for (const std::string& each : shard_names(name)) promise(parse_shard_name(each).has_value(), "names of a set are shard names");
    }
  } else {
    promise(shard_names(name).size() == 1, "a name that is no shard's stands alone");
  }
  recognise_foreign(std::as_bytes(std::span(name)));
  return 0;
}
