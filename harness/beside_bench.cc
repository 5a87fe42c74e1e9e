// Kernels of two plugins side by side, in processor time: what ./dev bench ggml prints.
//
//   beside_bench OURS THEIRS [--op OP]… [--type TYPE]… [--theirs VARIANT]… [--rows N]
//                [--seconds S]
//
// Both plugins are opened in one process and take turns over the same operands, so that
// whatever else the machine does meets both, and a sample is the processor time of its
// thread, which keeps to one processor, not the time that passes.  Of each plugin the fastest variant that the machine can
// run counts.  Blocks are those that one of the plugins quantizes.  Nothing is judged here
// but that both come to about the same; gguf-cts run judges.

#include <dlfcn.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gcts/plugin.h"
#include "harness/machine.h"
#include "harness/worker/ceilings.h"
#include "harness/worker/features.h"
#include "harness/worker/team.h"
#include "reference/tensor_type.h"

namespace {

using gcts::TensorType;

struct Free {
  void operator()(void* p) const { free(p); }
};
using Buffer = std::unique_ptr<uint8_t, Free>;

// 64 bytes more: a kernel's own read beyond the end is another test's business.
Buffer buffer(uint64_t bytes) {
  Buffer out(static_cast<uint8_t*>(aligned_alloc(64, (bytes + 191) / 64 * 64)));
  if (out) memset(out.get(), 0, bytes);
  return out;
}

struct Operands {
  uint64_t k = 0, rows = 0, m = 0;
  uint64_t weight_bytes = 0;  // of a row
  Buffer weights, activations, output;
};

struct Ratio {
  double ours_ns = 0, theirs_ns = 0, ratio = 0, operations = 0;
  double share = 0;  // of the ceiling; 0: none is known
};

double thread_ns() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// Operations a nanosecond of one thread, the best way of each quantity.
std::map<std::string, double> measure_arithmetic() {
  struct Row {
    const char *quantity, *features;
    double operations;
    void (*run)(uint64_t steps);
  };
  static constexpr Row kRows[] = {
#define CLOCK(quantity, variant)
#define TRAFFIC(quantity, variant, features)
#define PEAK(quantity, variant, features, operations) {#quantity, features, operations, gcts::worker::peak_##quantity##_##variant},
#include "harness/worker/ceilings.inc"
#undef CLOCK
#undef TRAFFIC
#undef PEAK
      {nullptr, "", 0, nullptr},  // no row is known for this architecture
  };
  constexpr uint64_t kSteps = 200'000;  // about a millisecond
  std::map<std::string, double> out;
  for (const Row& row : kRows) {
    if (!row.run || !gcts::worker::missing_feature(row.features).empty()) continue;
    for (int i = 0; i < 12; ++i) {
      const double start = thread_ns();
      row.run(kSteps);
      double& best = out[row.quantity];
      best = std::max(best, row.operations * static_cast<double>(kSteps) / (thread_ns() - start));
    }
  }
  return out;
}

const gcts_plugin* open_plugin(const char* path) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  auto entry = handle ? reinterpret_cast<const gcts_plugin* (*)()>(dlsym(handle, "gcts_plugin_entry")) : nullptr;
  const gcts_plugin* plugin = entry ? entry() : nullptr;
  if (!plugin) fmt::print(stderr, "beside_bench: {}: no plugin, or one that lacks what it stands on\n", path);
  return plugin;
}

// Those that this machine can run; of activations of one type, unless any will do.
std::vector<const gcts_kernel*> kernels_of(const gcts_plugin& plugin, uint32_t op, uint32_t type, int64_t activation = -1) {
  std::vector<const gcts_kernel*> out;
  for (uint64_t i = 0; i < plugin.kernel_count; ++i) {
    const gcts_kernel& k = plugin.kernels[i];
    if (k.op == op && k.tensor_type == type && (activation < 0 || k.activation_type == static_cast<uint32_t>(activation)) &&
        gcts::worker::missing_feature(k.features ? k.features : "").empty())
      out.push_back(&k);
  }
  return out;
}

bool chosen(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

class Bench {
 public:
  Bench(const gcts_plugin& ours, const gcts_plugin& theirs) : ours_(ours), theirs_(theirs) {}
  double seconds = 0.3;
  uint64_t rows = 256;
  std::vector<std::string> variants;  // of theirs that count; none named: all
  std::map<std::string, double> arithmetic;

  bool measure(gcts_op op, const TensorType& type, Ratio& out);

 private:
  bool quantize(uint32_t type, uint64_t k, uint64_t rows, uint8_t* to);
  bool draw(gcts_op op, const gcts_kernel& kernel, Operands& out);
  static bool call(gcts_op op, const gcts_kernel& kernel, const Operands& o);
  static double sample(gcts_op op, const gcts_kernel& kernel, const Operands& o, uint64_t calls);
  double ceiling(gcts_op op, const TensorType& type) const;
  static const gcts_kernel* fastest(gcts_op op, const std::vector<const gcts_kernel*>& kernels, const Operands& o);

  const gcts_plugin &ours_, &theirs_;
};

uint64_t bytes_of(uint32_t id, uint64_t k) {
  const TensorType* type = gcts::find_tensor_type(id);
  return k / type->block_elements * type->block_bytes;
}

float noise(uint64_t i) {
  uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
  x ^= x >> 29;
  return static_cast<float>(static_cast<int32_t>(x & 0xffffff) - 0x800000) * 0x1p-23f;
}

bool Bench::quantize(uint32_t type, uint64_t k, uint64_t count, uint8_t* to) {
  std::vector<const gcts_kernel*> able = kernels_of(theirs_, GCTS_OP_QUANTIZE, type);
  if (able.empty()) able = kernels_of(ours_, GCTS_OP_QUANTIZE, type);
  const gcts_kernel* kernel = able.empty() ? nullptr : able.back();
  if (!kernel && type != gcts::tensor::f32) return false;
  std::vector<float> values(k);
  const std::vector<float> importance(k, 1.0f);
  const uint64_t drawn = std::min<uint64_t>(count, 4);  // searches are slow: the rest repeat them
  for (uint64_t r = 0; r < count; ++r, to += bytes_of(type, k)) {
    if (r >= drawn) {
      memcpy(to, to - drawn * bytes_of(type, k), bytes_of(type, k));
      continue;
    }
    for (uint64_t i = 0; i < k; ++i) values[i] = noise(r * k + i + 1000003 * type);
    if (!kernel) memcpy(to, values.data(), 4 * k);
    else if (reinterpret_cast<gcts_quantize_fn>(kernel->run)(kernel->context, values.data(), importance.data(), to, k) != GCTS_OK) return false;
  }
  return true;
}

bool Bench::draw(gcts_op op, const gcts_kernel& kernel, Operands& o) {
  const bool decode = op == GCTS_OP_DEQUANTIZE, product = op == GCTS_OP_MATMUL;
  o.k = decode ? 32768 : 4096;
  o.rows = product ? rows : 1;
  o.m = decode ? 0 : product ? 256 : 1;
  o.weight_bytes = bytes_of(kernel.tensor_type, o.k);
  o.weights = buffer(o.rows * o.weight_bytes);
  o.activations = buffer(o.m * bytes_of(kernel.activation_type, o.k));
  o.output = buffer(4 * (decode ? o.k : o.rows * o.m));
  if (!o.weights || !o.activations || !o.output) return false;
  if (decode) {  // row by row of what a search can do in reasonable time
    for (uint64_t at = 0; at < o.k; at += 4096)
      if (!quantize(kernel.tensor_type, 4096, 1, o.weights.get() + bytes_of(kernel.tensor_type, at))) return false;
    return true;
  }
  return quantize(kernel.tensor_type, o.k, o.rows, o.weights.get()) &&
         quantize(kernel.activation_type, o.k, o.m, o.activations.get());
}

bool Bench::call(gcts_op op, const gcts_kernel& kernel, const Operands& o) {
  float* output = reinterpret_cast<float*>(o.output.get());
  if (op == GCTS_OP_DEQUANTIZE)
    return reinterpret_cast<gcts_dequantize_fn>(kernel.run)(kernel.context, o.weights.get(), output, o.k) == GCTS_OK;
  if (op == GCTS_OP_VEC_DOT) {
    const auto run = reinterpret_cast<gcts_vec_dot_fn>(kernel.run);
    for (uint64_t r = 0; r < o.rows; ++r)
      if (run(kernel.context, o.weights.get() + r * o.weight_bytes, o.activations.get(), output + r, o.k) != GCTS_OK) return false;
    return true;
  }
  gcts_matmul args{};
  args.m = o.m, args.n = o.rows, args.k = o.k;
  args.weights = o.weights.get(), args.weight_stride = o.weight_bytes;
  args.activations = o.activations.get(), args.activation_stride = bytes_of(kernel.activation_type, o.k);
  args.output = output, args.output_stride = 4 * o.rows;
  args.threads = 1;
  return reinterpret_cast<gcts_matmul_fn>(kernel.run)(kernel.context, &args) == GCTS_OK;
}

double Bench::sample(gcts_op op, const gcts_kernel& kernel, const Operands& o, uint64_t calls) {
  const double start = thread_ns();
  for (uint64_t i = 0; i < calls; ++i) call(op, kernel, o);
  return (thread_ns() - start) / static_cast<double>(calls);
}

const gcts_kernel* Bench::fastest(gcts_op op, const std::vector<const gcts_kernel*>& kernels, const Operands& o) {
  const gcts_kernel* out = kernels[0];
  double least = 0;
  for (const gcts_kernel* kernel : kernels) {
    sample(op, *kernel, o, 1);
    const double first = sample(op, *kernel, o, 1);
    const auto calls = std::max<uint64_t>(1, static_cast<uint64_t>(5e4 / (first + 1)));
    double ns = first;
    for (int i = 0; i < 3; ++i) ns = std::min(ns, first > 1e7 ? first : sample(op, *kernel, o, calls));
    if (kernel == kernels[0] || ns < least) out = kernel, least = ns;
  }
  return out;
}

// How far the two outputs are apart, in the size of the larger of all.
double difference(const std::vector<float>& a, const float* b) {
  double apart = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    apart = std::max<double>(apart, std::fabs(a[i] - b[i]));
    size = std::max<double>(size, std::fabs(a[i]));
  }
  return size > 0 ? apart / size : apart;
}

// What binds a product of many rows: integers for types in blocks, else floats of 16 bits where
// the machine multiplies them.
double Bench::ceiling(gcts_op op, const TensorType& type) const {
  if (op != GCTS_OP_MATMUL) return 0;
  double best = 0;
  for (const std::string& quantity : type.block_elements > 1 ? std::vector<std::string>{"int8", "int8_amx"} : std::vector<std::string>{"f32", std::string(type.name)})
    if (const auto found = arithmetic.find(quantity); found != arithmetic.end()) best = std::max(best, found->second);
  return best;
}

bool Bench::measure(gcts_op op, const TensorType& type, Ratio& out) {
  std::vector<const gcts_kernel*> all = kernels_of(theirs_, op, type.id);
  if (std::any_of(all.begin(), all.end(), [&](auto k) { return chosen(variants, k->variant); }))
    std::erase_if(all, [&](auto k) { return !chosen(variants, k->variant); });
  Operands o;
  if (all.empty() || kernels_of(ours_, op, type.id, all[0]->activation_type).empty() || !draw(op, *all[0], o)) return false;
  const gcts_kernel* theirs = fastest(op, all, o);
  const gcts_kernel* ours = fastest(op, kernels_of(ours_, op, type.id, theirs->activation_type), o);
  const uint64_t outputs = op == GCTS_OP_DEQUANTIZE ? o.k : op == GCTS_OP_MATMUL ? o.rows * o.m : o.rows;
  const float* output = reinterpret_cast<const float*>(o.output.get());
  if (!call(op, *theirs, o)) return false;
  const std::vector<float> first(output, output + outputs);
  if (!call(op, *ours, o)) return false;
  const double apart = difference(first, output);
  const double slower = std::max(sample(op, *ours, o, 1), sample(op, *theirs, o, 1));
  const uint64_t calls = std::max<uint64_t>(1, static_cast<uint64_t>(2e5 / slower));
  std::vector<double> a, b, ratios;
  double spent = 0;
  for (size_t round = 0; round < 9 || (spent < seconds * 1e9 && round < 200); ++round) {
    const bool turn = round % 2 == 0;
    const double x = sample(op, turn ? *ours : *theirs, o, calls), y = sample(op, turn ? *theirs : *ours, o, calls);
    a.push_back(turn ? x : y);
    b.push_back(turn ? y : x);
    ratios.push_back(b.back() / a.back());
    spent += (x + y) * static_cast<double>(calls);
  }
  out.operations = static_cast<double>(op == GCTS_OP_MATMUL ? 2 * o.m * o.rows * o.k : o.rows * o.k);
  out.ours_ns = median(a), out.theirs_ns = median(b), out.ratio = median(ratios);
  if (const double most = ceiling(op, type); most > 0) out.share = out.operations / out.ours_ns / most;
  fmt::print("{:<10} {:<8} {:>8.2f} {:<12} {:>8.2f} {:<10} {:>6.2f}{}{}\n", op == GCTS_OP_DEQUANTIZE ? "dequantize" : op == GCTS_OP_VEC_DOT ? "vec_dot" : "matmul",
             type.name, out.operations / out.ours_ns, ours->variant, out.operations / out.theirs_ns, theirs->variant, out.ratio,
             out.share > 0 ? fmt::format("  {:.0f} % of the ceiling", 100 * out.share) : "",
             apart > 0.01 ? fmt::format("  apart by {:.2g}", apart) : "");
  fflush(stdout);
  return true;
}

struct Wanted {
  gcts_op op;
  const char* name;
  const char* unit;
  const char* goal;
};
constexpr Wanted kWanted[] = {
    {GCTS_OP_DEQUANTIZE, "dequantize", "Gelement/s", "mean of 4 over the quantized types, none under 1"},
    {GCTS_OP_VEC_DOT, "vec_dot", "Gelement/s", "mean of 1.3, none under 0.95"},
    {GCTS_OP_MATMUL, "matmul", "Gop/s", "mean of 6 (256 rows of activations, one thread)"},
};

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::vector<std::string>> options;
  bool understood = argc >= 3 && argc % 2 == 1;
  for (int i = 3; i + 1 < argc; i += 2) {
    understood &= chosen({"--op", "--type", "--theirs", "--rows", "--seconds"}, argv[i]);
    options[argv[i]].push_back(argv[i + 1]);
  }
  if (!understood) {
    fmt::print(stderr, "beside_bench OURS THEIRS [--op OP]... [--type TYPE]... [--theirs VARIANT]... [--rows N] [--seconds S]\n");
    return 2;
  }
  gcts::worker::keep_to({gcts::topology().processors.data(), 1});
  const gcts_plugin *ours = open_plugin(argv[1]), *theirs = open_plugin(argv[2]);
  if (!ours || !theirs) return 2;
  Bench bench(*ours, *theirs);
  if (!options["--rows"].empty()) bench.rows = std::stoul(options["--rows"].back());
  if (!options["--seconds"].empty()) bench.seconds = std::stod(options["--seconds"].back());
  bench.variants = options["--theirs"];
  if (chosen(options["--op"], "matmul")) bench.arithmetic = measure_arithmetic();
  for (const Wanted& wanted : kWanted) {
    if (!chosen(options["--op"], wanted.name)) continue;
    fmt::print("{}: {} of {}, of {}, ratio; goal: {}\n", wanted.name, wanted.unit, ours->name, theirs->name, wanted.goal);
    double logs = 0, least = 1e9, limits = 0;
    size_t count = 0, limited = 0;
    std::string_view last;
    for (const TensorType& type : gcts::tensor_types()) {
      if (type.status != gcts::TensorStatus::current || !chosen(options["--type"], type.name)) continue;
      Ratio r;
      if (!bench.measure(wanted.op, type, r)) continue;
      if (r.ratio < least) least = r.ratio, last = type.name;
      if (wanted.op == GCTS_OP_DEQUANTIZE && type.block_elements == 1) continue;
      logs += std::log(r.ratio), ++count;
      if (r.share > 0) limits += std::log(r.ratio / r.share), ++limited;
    }
    if (count > 0) fmt::print("{}: geometric mean {:.2f} over {} types, least {:.2f} ({})\n", wanted.name, std::exp(logs / static_cast<double>(count)), count, least, last);
    if (limited > 0) fmt::print("{}: at the ceilings of this machine the mean of {} types would be {:.2f}\n\n", wanted.name, limited, std::exp(limits / static_cast<double>(limited)));
  }
  return 0;
}
