// The shapes and thread counts of each tier.

#include "harness/bench_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace gcts {
namespace {

// Blocks and values together overflow every L1 and fit every L2 of today's processors.
constexpr uint64_t kDecodeElements = kDrawnElements;
// 16 MiB of values: no core's share of a cache.
constexpr uint64_t kManyElements = uint64_t{1} << 22;
// On a device: more than a GiB of any type of 4 bits, and what a processor that stands in
// for one multiplies within a moment.
constexpr uint64_t kDeviceElements = uint64_t{1} << 31, kFewDeviceElements = uint64_t{1} << 25;
// A row of a model with 7 billion parameters, and the matrices that it multiplies.
constexpr uint64_t kRow = 4096;
constexpr uint64_t kSquare = 4096, kUp = 14336, kKeys = 1024;
// Columns of the short product of tier smoke.
constexpr uint64_t kFew = 256;
// Rows of drawn operands that matrices repeat: shapes are multiples of it.
constexpr uint64_t kDrawnRows = 16;

uint64_t up_to_multiple(uint64_t v, uint64_t of) { return (v + of - 1) / of * of; }

class RowPlan {
 public:
  RowPlan(const KernelRow& row, uint32_t subject, Tier tier, uint32_t processors)
      : row_(row), subject_(subject), tier_(tier), processors_(processors) {}

  std::vector<BenchMeasurement> make() {
    const bool smoke = tier_ == Tier::smoke;
    if (on_device()) return make_for_device();
    switch (row_.op) {
      case GCTS_OP_DEQUANTIZE:
        add({.k = kDecodeElements}, false, 1);
        if (!smoke) both({.k = kDecodeElements}, true);
        if (!smoke) both({.k = kManyElements}, true);
        break;
      case GCTS_OP_QUANTIZE:
        add({.k = kRow}, false, 1);
        break;
      case GCTS_OP_VEC_DOT:
        add({.k = kRow}, false, 1);
        if (!smoke) both({.k = kRow}, true);
        break;
      case GCTS_OP_MATMUL:
        smoke ? few_products() : products();
        break;
      case GCTS_OP_MATMUL_ID:
        if (!smoke) add({.k = kRow, .n = kKeys, .m = 2, .experts = 4}, true, processors_);
        break;
    }
    return std::move(out_);
  }

 private:
  bool on_device() const { return (row_.description.row.flags & GCTS_KERNEL_ON_DEVICE) != 0; }

  // One dot product is no work for a device.
  std::vector<BenchMeasurement> make_for_device() {
    const bool smoke = tier_ == Tier::smoke;
    const uint64_t elements = smoke ? kFewDeviceElements : kDeviceElements;
    if (row_.op == GCTS_OP_DEQUANTIZE || row_.op == GCTS_OP_QUANTIZE) add({.k = elements}, true, 1);
    if (row_.op == GCTS_OP_MATMUL) {
      add({.k = kRow, .n = elements / kRow, .m = 1}, true, 1);
      add({.k = kRow, .n = smoke ? kFew : kSquare, .m = smoke ? 64u : 512u}, true, 1);
    }
    if (row_.op == GCTS_OP_MATMUL_ID) add({.k = kRow, .n = elements / kRow / 4, .m = 4, .experts = 4}, true, 1);
    return std::move(out_);
  }

  void few_products() {
    add({.k = kRow, .n = kSquare, .m = 1}, true, processors_);
    add({.k = kRow, .n = kFew, .m = 64}, false, 1);
  }

  void products() {
    both({.k = kRow, .n = kSquare, .m = 1}, true);
    add({.k = kRow, .n = kUp, .m = 1}, true, processors_);
    add({.k = kUp, .n = kSquare, .m = 1}, true, processors_);
    add({.k = kRow, .n = kFew, .m = 1}, false, 1);
    for (uint64_t m : {16, 64, 256, 512}) both({.k = kRow, .n = kKeys, .m = m}, false);
  }

  void both(const KernelShape& shape, bool cold) {
    for (uint32_t threads : bench_thread_counts(tier_, processors_)) add(shape, cold, threads);
  }

  void add(KernelShape shape, bool cold, uint32_t threads) {
    const bool safe = row_.product() || (row_.description.row.flags & GCTS_KERNEL_THREAD_SAFE) != 0;
    if (threads > 1 && !safe) return;
    shape.k = up_to_multiple(shape.k, row_.unit());
    if (row_.product())
      shape.n = up_to_multiple(shape.n, std::lcm(kDrawnRows, std::max<uint64_t>(1, row_.description.row.row_multiple)));
    BenchMeasurement m;
    m.subject = subject_;
    m.row = &row_;
    m.shape = shape;
    m.cold = cold;
    m.threads = threads;
    m.device = on_device();
    if (const std::string& lacks = row_.description.missing; !lacks.empty()) m.missing = "this machine lacks " + lacks;
    const std::string tail = m.device ? "device/" + shape_text(row_, shape)
                                      : fmt::format("{}/{},t={}", cold ? "cold" : "warm", shape_text(row_, shape), threads);
    m.id = fmt::format("bench/{}/{}", row_.id.substr(row_.id.find('/') + 1), tail);
    m.group = fmt::format("bench/{}/{}/{}", op_name(row_.op), row_.type->name, tail);
    m.work = bench_work(row_, shape);
    const auto same = [&](const BenchMeasurement& other) { return other.id == m.id; };
    if (std::none_of(out_.begin(), out_.end(), same)) out_.push_back(std::move(m));
  }

  const KernelRow& row_;
  uint32_t subject_;
  Tier tier_;
  uint32_t processors_;
  std::vector<BenchMeasurement> out_;
};

}  // namespace

std::vector<uint32_t> bench_thread_counts(Tier tier, uint32_t processors) {
  std::vector<uint32_t> out{1};
  if (tier == Tier::exhaustive)
    for (uint32_t t = 2; t < processors; t *= 2) out.push_back(t);
  if (processors > 1) out.push_back(processors);
  return out;
}

BenchWork bench_work(const KernelRow& row, const KernelShape& shape) {
  BenchWork work;
  const uint64_t weight_row = row_bytes(*row.type, shape.k);
  switch (row.op) {
    case GCTS_OP_DEQUANTIZE:
      work = {shape.k, weight_row, weight_row, 4 * shape.k, 0};
      break;
    case GCTS_OP_QUANTIZE:
      work = {shape.k, weight_row, 4 * shape.k, weight_row, 0};
      break;
    case GCTS_OP_VEC_DOT:
      work = {shape.k, weight_row, weight_row, 0, 2 * shape.k};
      break;
    default: {
      // The rows of each expert that is used are read once; m counts tokens.
      const uint64_t matrices = row.op == GCTS_OP_MATMUL_ID ? std::min<uint64_t>(shape.m, shape.experts) : 1;
      work.elements = matrices * shape.n * shape.k;
      work.weight_bytes = matrices * shape.n * weight_row;
      work.read_bytes = work.weight_bytes;
      work.operations = 2 * shape.m * shape.n * shape.k;
    }
  }
  return work;
}

std::vector<BenchMeasurement> bench_measurements(const KernelRow& row, uint32_t subject, Tier tier, uint32_t processors) {
  return RowPlan(row, subject, tier, processors).make();
}

}  // namespace gcts
