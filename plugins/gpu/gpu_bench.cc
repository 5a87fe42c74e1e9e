// gpu_bench PLUGIN [MIB] [FILE]: what the kernels of a plugin with a device reach, as a
// share of what the device reaches at its best.
//
// The ceiling is measured with the same clock: dequantize of f32 is a copy, four bytes in
// and four out an element.  Every other row is told in bytes that have to move, weights and
// output, against it.  Tensors have MIB of weights (default 1024), less where the device
// has less memory.  Above 105 % of the ceiling a number is INVALID, not a record.  FILE
// gets the numbers as JSON Lines.

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "gcts/plugin.h"

namespace {

constexpr int kWarm = 2, kMeasured = 9;
constexpr uint64_t kRow = 4096;          // K of matrix products, a row of published models
constexpr uint64_t kTiledRows = 512;     // M of the tiled products: a prompt
constexpr double kMostShare = 1.05;

struct TypeSize {
  uint32_t id, elements, bytes;
  const char* name;
};
constexpr TypeSize kTypes[] = {
#define GPU_TYPE(name, id, elements, bytes) {id, elements, bytes, #name},
#include "types.inc"
#undef GPU_TYPE
#define GPU_PLAIN(name, id, bytes) {id, 1, bytes, #name},
#include "plain.inc"
#undef GPU_PLAIN
};
const TypeSize* type_of(uint32_t id) {
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes), [id](const TypeSize& t) { return t.id == id; });
  return found == std::end(kTypes) ? nullptr : found;
}

class Bench {
 public:
  Bench(const gcts_plugin& plugin, uint64_t weight_bytes, std::FILE* file)
      : plugin_(plugin), device_(*plugin.device), weight_bytes_(weight_bytes), file_(file) {}

  int run() {
    gcts_device_limits limits{};
    device_.limits(device_.context, &limits);
    memory_ = limits.memory / 10 * 8;
    largest_ = limits.largest_allocation;
    std::printf("%s, driver %s, %u compute units\n", limits.name, limits.driver, limits.compute_units);
    std::printf("%-32s %12s %10s %10s\n", "kernel", "GB/s", "of copy", "GFLOP/s");
    for (uint64_t i = 0; i < plugin_.kernel_count; ++i)
      if (const gcts_kernel& k = plugin_.kernels[i]; k.op == GCTS_OP_DEQUANTIZE && k.tensor_type == 0) dequantize(k, true);
    for (uint64_t i = 0; i < plugin_.kernel_count; ++i) {
      const gcts_kernel& k = plugin_.kernels[i];
      if (k.op == GCTS_OP_DEQUANTIZE && k.tensor_type != 0) dequantize(k, false);
      if (k.op == GCTS_OP_MATMUL) matmul(k, std::strstr(k.variant, "_tiled") ? kTiledRows : 1);
    }
    return failed_ ? 1 : 0;
  }

 private:
  void* filled(uint64_t size) {
    void* memory = device_.allocate(device_.context, size);
    if (!memory) return nullptr;
    // Bytes whose halves are small numbers, so that no row is slowed by NaNs or subnormals.
    std::vector<uint8_t> chunk(std::min<uint64_t>(size, 64u << 20));
    for (size_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<uint8_t>(0x21 + i * 7 % 23);
    for (uint64_t at = 0; at < size; at += chunk.size())
      device_.upload(device_.context, static_cast<char*>(memory) + at, chunk.data(), std::min<uint64_t>(chunk.size(), size - at));
    return memory;
  }

  // Median seconds of `call`, or a negative number.
  template <typename Call>
  double median(Call call) {
    std::vector<double> seconds;
    for (int i = 0; i < kWarm + kMeasured; ++i) {
      if (call() != GCTS_OK || device_.synchronize(device_.context) != GCTS_OK) return -1;
      if (i >= kWarm) seconds.push_back(device_.seconds(device_.context));
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  }

  void tell(const std::string& id, double seconds, double bytes, double flops) {
    if (!(seconds > 0)) {
      std::printf("%-32s failed: %s\n", id.c_str(), device_.last_error ? device_.last_error(device_.context) : "");
      failed_ = true;
      return;
    }
    const double rate = bytes / seconds, share = copy_ > 0 ? rate / copy_ : 1;
    const bool invalid = share > kMostShare;
    std::printf("%-32s %12.2f %9.1f%% %10.1f%s\n", id.c_str(), rate * 1e-9, 100 * share, flops / seconds * 1e-9,
                invalid ? "  INVALID: above the ceiling" : "");
    if (file_)
      std::fprintf(file_,
                   "{\"record\":\"gpu_bench\",\"kernel\":\"%s\",\"seconds\":%.9g,\"bytes\":%.0f,\"flops\":%.0f,"
                   "\"copy_bytes_per_second\":%.6g,\"share_of_copy\":%.6g,\"valid\":%s}\n",
                   id.c_str(), seconds, bytes, flops, copy_, share, invalid ? "false" : "true");
  }

  void dequantize(const gcts_kernel& k, bool is_copy) {
    const TypeSize* type = type_of(k.tensor_type);
    if (!type) return;
    // Whole work groups of blocks; the floats that come of them have to have room too.
    const uint64_t floats = 4 * type->elements;
    const uint64_t most = std::min({weight_bytes_ / type->bytes, memory_ / (type->bytes + floats), largest_ / floats});
    const uint64_t blocks = std::max<uint64_t>(1, most / 512) * 512, count = blocks * type->elements;
    void *weights = filled(blocks * type->bytes), *values = device_.allocate(device_.context, 4 * count);
    const double bytes = static_cast<double>(blocks * type->bytes + 4 * count);
    const double seconds = weights && values ? median([&] {
      return reinterpret_cast<gcts_dequantize_fn>(k.run)(k.context, weights, static_cast<float*>(values), count);
    }) : -1;
    if (is_copy && seconds > 0) copy_ = bytes / seconds;
    tell(std::string("dequantize/") + type->name + "/" + k.variant, seconds, bytes, 0);
    if (weights) device_.free(device_.context, weights);
    if (values) device_.free(device_.context, values);
  }

  void matmul(const gcts_kernel& k, uint64_t m) {
    const TypeSize* type = type_of(k.tensor_type);
    if (!type) return;
    gcts_matmul args{};
    args.m = m, args.k = kRow, args.threads = 1;
    args.weight_stride = kRow / type->elements * type->bytes;
    args.n = std::max<uint64_t>(1, weight_bytes_ / args.weight_stride / (m > 1 ? 16 : 1));
    args.activation_stride = 4 * kRow, args.output_stride = 4 * args.n;
    void *weights = filled(args.n * args.weight_stride), *activations = filled(m * args.activation_stride);
    void* output = device_.allocate(device_.context, m * args.output_stride);
    args.weights = weights, args.activations = activations, args.output = static_cast<float*>(output);
    const double seconds = weights && activations && output
                               ? median([&] { return reinterpret_cast<gcts_matmul_fn>(k.run)(k.context, &args); })
                               : -1;
    const double bytes = static_cast<double>(args.n * args.weight_stride + m * (args.activation_stride + args.output_stride));
    tell(std::string("matmul/") + type->name + "/" + k.variant + "/m=" + std::to_string(m), seconds, bytes,
         2.0 * static_cast<double>(m) * static_cast<double>(args.n) * static_cast<double>(kRow));
    for (void* memory : {weights, activations, output})
      if (memory) device_.free(device_.context, memory);
  }

  const gcts_plugin& plugin_;
  const gcts_device& device_;
  uint64_t weight_bytes_, memory_ = 0, largest_ = 0;
  std::FILE* file_;
  double copy_ = 0;
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const uint64_t mib = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1024;
  if (argc < 2 || argc > 4 || mib == 0) {
    std::fprintf(stderr, "usage: gpu_bench PLUGIN [MIB] [FILE]\n");
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* symbol = library ? dlsym(library, "gcts_plugin_entry") : nullptr;
  if (!symbol) {
    std::fprintf(stderr, "gpu_bench: %s is no plugin: %s\n", argv[1], dlerror());
    return 2;
  }
  const gcts_plugin* plugin = reinterpret_cast<gcts_plugin_entry_fn>(symbol)();
  if (!plugin->device || plugin->kernel_size != sizeof(gcts_kernel)) {
    std::fprintf(stderr, "gpu_bench: %s has no device\n", argv[1]);
    return 2;
  }
  char why[512] = "";
  if (plugin->device->open(plugin->device->context, why, sizeof(why)) != GCTS_OK) {
    std::printf("skip: %s\n", why);
    return 0;
  }
  std::FILE* file = argc > 3 ? std::fopen(argv[3], "w") : nullptr;
  const int status = Bench(*plugin, mib << 20, file).run();
  if (file) std::fclose(file);
  return status;
}
