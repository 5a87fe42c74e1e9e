// Loads the plugins of the tree as a host does, and looks at their tables.

#define BOOST_TEST_MODULE plugins
#include <boost/test/unit_test.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gcts/plugin.h"

namespace {

struct Unload {
  void operator()(void* library) const { dlclose(library); }
};

// A loaded plugin; gone when it goes out of scope, its statics too.
struct Loaded {
  std::unique_ptr<void, Unload> library;
  const gcts_plugin* plugin = nullptr;

  explicit Loaded(const std::string& name) {
    library.reset(dlopen((GCTS_PLUGIN_DIR "/" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL));
    BOOST_REQUIRE_MESSAGE(library, dlerror());
    const auto entry = reinterpret_cast<gcts_plugin_entry_fn>(dlsym(library.get(), "gcts_plugin_entry"));
    BOOST_REQUIRE(entry);
    plugin = entry();
  }
};

// What a reader said, as text.
struct Said {
  std::string text;
  gcts_sink sink = {
      .context = this,
      .header = [](void* c, uint32_t version, int big, uint32_t alignment) {
        add(c, "header " + std::to_string(version) + (big ? " big " : " little ") + std::to_string(alignment));
      },
      .key = [](void* c, gcts_string key) { add(c, "key " + std::string(key.data, key.size)); },
      .scalars = [](void* c, uint32_t type, const void* values, uint64_t count) {
        const bool is_u32 = type == GCTS_UINT32 && count == 1;
        uint32_t value = 0;
        if (is_u32) std::memcpy(&value, values, sizeof value);
        add(c, "scalars " + std::to_string(type) + " " + std::to_string(is_u32 ? value : count));
      },
      .string = [](void* c, gcts_string value) { add(c, "string " + std::string(value.data, value.size)); },
      .array_begin = [](void* c, uint32_t type, uint64_t count) {
        add(c, "array " + std::to_string(type) + " " + std::to_string(count));
      },
      .array_end = [](void* c) { add(c, "end"); },
      .tensor = [](void* c, gcts_string name, uint32_t type, uint32_t rank, const uint64_t* dims, uint64_t offset,
                   const void* data, uint64_t size) {
        add(c, "tensor " + std::string(name.data, name.size) + " " + std::to_string(type) + " " +
                   std::to_string(rank) + " " + std::to_string(rank > 0 ? dims[0] : 1) + " " + std::to_string(offset) +
                   " " + (data ? std::string(static_cast<const char*>(data), size) : "none"));
      },
      .message = [](void* c, const char* message) { add(c, "message " + std::string(message)); },
  };

  static void add(void* context, const std::string& line) { static_cast<Said*>(context)->text += line + "\n"; }
};

// Bytes of a little-endian file, field by field.
struct File {
  std::string bytes;
  File& number(uint64_t value, size_t size) {
    bytes.append(reinterpret_cast<const char*>(&value), size);
    return *this;
  }
  File& raw(std::string_view text) {
    bytes += text;
    return *this;
  }
  File& text(std::string_view text) { return number(text.size(), 8).raw(text); }
};

// One number, one array of strings, one tensor of eight bytes.
std::string small_model() {
  File file;
  file.raw("GGUF").number(3, 4).number(1, 8).number(2, 8);
  file.text("general.alignment").number(GCTS_UINT32, 4).number(8, 4);
  file.text("some.words").number(GCTS_ARRAY, 4).number(GCTS_STRING, 4).number(2, 8).text("one").text("");
  file.text("weight").number(1, 4).number(8, 8).number(24, 4).number(0, 8);
  while (file.bytes.size() % 8 != 0) file.number(0, 1);
  return file.raw("contents").bytes;
}

constexpr const char* kSmallModelTold =
    "header 3 little 8\n"
    "key general.alignment\nscalars 4 8\n"
    "key some.words\narray 8 2\nstring one\nstring \nend\n"
    "tensor weight 24 1 8 0 contents\n";

// The header may come anywhere before the first tensor; for comparison it comes first.
std::string header_first(const std::string& told) {
  const size_t at = told.find("header"), end = told.find('\n', at) + 1;
  return at == told.npos ? told : told.substr(at, end - at) + told.substr(0, at) + told.substr(end);
}

gcts_status read(const gcts_plugin& plugin, const std::string& file, Said& said) {
  const gcts_read_request request = {GCTS_STAGE_DATA, nullptr, file.data(), file.size()};
  return plugin.reader->read(&request, &said.sink);
}

void choose_fault(const char* name) { name ? setenv("GCTS_FAULT", name, 1) : unsetenv("GCTS_FAULT"); }

}  // namespace

BOOST_AUTO_TEST_SUITE(plugins)

BOOST_AUTO_TEST_CASE(tables_have_their_sizes) {
  for (const char* name : {"template", "reference", "faulty"}) {
    BOOST_TEST_CONTEXT(name) {
      const Loaded loaded(name);
      BOOST_REQUIRE(loaded.plugin);
      BOOST_TEST(loaded.plugin->abi_version == GCTS_ABI_VERSION);
      BOOST_TEST(loaded.plugin->struct_size == sizeof(gcts_plugin));
      BOOST_TEST(loaded.plugin->name == std::string(name));
      BOOST_REQUIRE(loaded.plugin->reader);
      BOOST_TEST(loaded.plugin->reader->struct_size == sizeof(gcts_reader));
      BOOST_TEST((loaded.plugin->reader->capabilities & GCTS_READS_MEMORY) != 0u);
      BOOST_TEST((loaded.plugin->kernel_count == 0 || loaded.plugin->kernel_size == sizeof(gcts_kernel)));
      if (loaded.plugin->writer) BOOST_TEST(loaded.plugin->writer->struct_size == sizeof(gcts_writer));
    }
  }
}

BOOST_AUTO_TEST_CASE(readers_tell_a_small_model_alike) {
  for (const char* name : {"template", "reference", "faulty"}) {
    BOOST_TEST_CONTEXT(name) {
      const Loaded loaded(name);
      BOOST_REQUIRE(loaded.plugin);
      Said said;
      BOOST_TEST(read(*loaded.plugin, small_model(), said) == GCTS_OK);
      BOOST_TEST(header_first(said.text) == kSmallModelTold);
    }
  }
}

BOOST_AUTO_TEST_CASE(readers_reject_every_part_of_a_small_model) {
  const std::string model = small_model();
  for (const char* name : {"template", "reference", "faulty"}) {
    const Loaded loaded(name);
    BOOST_REQUIRE(loaded.plugin);
    for (size_t size = 0; size < model.size(); ++size) {
      BOOST_TEST_CONTEXT(name << " " << size << " bytes") {
        Said said;
        BOOST_TEST(read(*loaded.plugin, model.substr(0, size), said) == GCTS_REJECTED);
        BOOST_TEST(said.text.find("message ") != said.text.npos);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(template_dequantizes_q8_0) {
  const Loaded loaded("template");
  BOOST_REQUIRE(loaded.plugin);
  BOOST_REQUIRE(loaded.plugin->kernel_count == 1u);
  const gcts_kernel& kernel = loaded.plugin->kernels[0];
  BOOST_TEST(kernel.op == static_cast<uint32_t>(GCTS_OP_DEQUANTIZE));
  std::vector<uint8_t> blocks(2 * 34);
  blocks[0] = 0x00, blocks[1] = 0x38;  // 0.5
  blocks[2] = 3, blocks[33] = 0x80;
  blocks[34] = 0x01, blocks[35] = 0x80;  // the negative of the smallest subnormal
  blocks[36] = 2;
  std::vector<float> values(64);
  const auto run = reinterpret_cast<gcts_dequantize_fn>(kernel.run);
  BOOST_TEST(run(kernel.context, blocks.data(), values.data(), values.size()) == GCTS_OK);
  BOOST_TEST(values[0] == 1.5f);
  BOOST_TEST(values[31] == -64.0f);
  BOOST_TEST(values[32] == -0x1p-23f);
}

BOOST_AUTO_TEST_CASE(every_fault_can_be_chosen) {
  const char* names[] = {
#define FAULT(name, target, check, modelled_on) #name,
#include "plugins/faulty/faults.inc"
#undef FAULT
      "healthy:reader", "healthy:writer", "healthy:template_reader",
  };
  for (const char* name : names) {
    choose_fault(name);
    const Loaded loaded("faulty");
    BOOST_TEST_CONTEXT(name) {
      BOOST_REQUIRE(loaded.plugin);
      BOOST_TEST(loaded.plugin->name == "faulty:" + std::string(name));
    }
  }
  choose_fault("no_such_fault");
  BOOST_TEST(!Loaded("faulty").plugin);
  choose_fault(nullptr);
}

BOOST_AUTO_TEST_CASE(a_chosen_fault_shows) {
  choose_fault("magic_three_bytes");
  const Loaded loaded("faulty");
  choose_fault(nullptr);
  std::string model = small_model();
  model[3] = 'X';
  Said said;
  BOOST_TEST(read(*loaded.plugin, model, said) == GCTS_OK);
}

BOOST_AUTO_TEST_SUITE_END()
