// Answers what a kernel makes of its operands, and what else it does.
//
// Every operand is copied between two unmapped pages, or mapped from a file where the
// request says so; inputs are read-only.  The
// output is poisoned and the kernel called, then once more over another poison: a byte
// that differs was not written or is not the same twice.  Room around and between the
// rows of the output has to stay as it was.

#include <algorithm>
#include <cstring>

#include "harness/worker/call_meter.h"
#include "harness/worker/checked_call.h"
#include "harness/worker/fault_reporter.h"
#include "harness/worker/features.h"
#include "harness/worker/region.h"
#include "harness/worker/session.h"
#include "harness/worker/shared_memory.h"

namespace gcts::worker {
namespace {

// As floats both are NaNs that no operation produces; as codes and scales, nonsense.
constexpr uint8_t kPoison[2][4] = {{0x5a, 0xa5, 0xb5, 0x7f}, {0xb6, 0x4b, 0x9b, 0xff}};
// Calls before holdings are taken: what the first ones keep may be a cache.
constexpr uint32_t kWarmCalls = 16;

class KernelCall {
 public:
  KernelCall(Session& session, const KernelRequest& asked)
      : session_(session), asked_(asked), kernel_(session.plugin.kernel(asked.kernel)) {}

  bool prepare() {
    clear_fault_buffers();
    if (!load(asked_.weights, weights_, Buffer::weights)) return false;
    if (!load(asked_.activations, activations_, Buffer::activations)) return false;
    if (!load(asked_.extra, extra_, Buffer::extra)) return false;
    if (!make_output()) return false;
    add_fault_buffer(Buffer::output, output_.data(), output_.size());
    return !(asked_.flags & kPrepareWeights) || repack();
  }

  KernelAnswer run() {
    KernelAnswer answer{};
    answer.damage_offset = UINT64_MAX;
    answer.output_offset = session_.output.size();
    poison(0);
    const uint64_t start = cpu_ns();
    answer.status = call(answer.environment);
    answer.cpu_ns = cpu_ns() - start;
    if (prepare_status_ != GCTS_OK) answer.status = prepare_status_;
    if (asked_.output_tile.tile_bytes != 0) {  // rows lie over each other: the tile is the output
      if (!take(output_.data(), std::min(asked_.output_tile.tile_bytes, output_.size()))) answer.status = GCTS_FAILED;
      answer.output_size = session_.output.size() - answer.output_offset;
      return answer;
    }
    note_damage(answer, 0);
    for (uint64_t row = 0; row < asked_.output_rows; ++row)
      if (!take(row_at(row), asked_.output_row_bytes)) return answer;
    answer.output_size = asked_.output_rows * asked_.output_row_bytes;
    if (answer.status != GCTS_OK || asked_.calls < 2) return answer;
    poison(1);
    uint32_t environment = 0;
    answer.status = call(environment);
    answer.environment |= environment;
    note_damage(answer, 1);
    note_unequal(answer);
    if (asked_.calls > 2) note_leaks(answer);
    return answer;
  }

 private:
  bool load(const OperandRequest& from, Region& to, Buffer which) {
    if (from.size == 0) return true;
    if (from.tile_bytes != 0) {
      if (!to.map_tiles(kInputFd, from.offset, from.tile_bytes, from.size, false)) return false;
    } else if (from.in_place != 0) {
      if (!to.map_file(kInputFd, from.offset, from.size)) return false;
    } else {
      const GuardedInput input(kInputFd, from.offset, from.size);
      if (!input.mapped() || !to.allocate(from.size, kernel_.alignment, asked_.placement, asked_.skew)) return false;
      std::memcpy(to.data(), input.data(), from.size);
      to.make_read_only();
    }
    add_fault_buffer(which, to.data(), to.size());
    return true;
  }

  bool make_output() {
    const uint64_t rows = asked_.output_rows;
    if (rows == 0) return false;
    const uint64_t size = (rows - 1) * asked_.output_stride + asked_.output_row_bytes;
    if (asked_.output_tile.tile_bytes != 0)
      return output_.map_tiles(kInputFd, asked_.output_tile.offset, asked_.output_tile.tile_bytes, size, true);
    return output_.allocate(size, kernel_.alignment, asked_.placement, asked_.skew);
  }

  // Appends to the output memory.
  bool take(const uint8_t* from, uint64_t size) {
    uint8_t* to = session_.output.extend(size);
    if (to) std::memcpy(to, from, size);
    return to != nullptr;
  }

  bool repack() {
    const gcts_prepare& p = *kernel_.prepare;
    const uint64_t size = p.prepared_size(kernel_.context, asked_.n, asked_.k);
    if (!prepared_.allocate(std::max<uint64_t>(size, 1), 64, Placement::end, 0)) return false;
    add_fault_buffer(Buffer::prepared, prepared_.data(), prepared_.size());
    prepare_status_ = p.prepare(kernel_.context, weights_.data(), asked_.weight_stride, asked_.n, asked_.k, prepared_.data());
    return true;
  }

  uint8_t* row_at(uint64_t row) const { return output_.data() + row * asked_.output_stride; }

  void poison(int which) {
    if (asked_.output_tile.tile_bytes != 0) return;
    for (uint64_t i = 0; i < output_.size(); ++i) output_.data()[i] = kPoison[which][i & 3];
  }

  int32_t call(uint32_t& environment) {
    const auto number = [](const void* p) { return reinterpret_cast<uint64_t>(p); };
    const uint64_t context = number(kernel_.context);
    gcts_matmul args{};
    uint64_t a[5] = {context, 0, 0, 0, 0};
    switch (kernel_.op) {
      case GCTS_OP_DEQUANTIZE:
        a[1] = number(weights_.data()), a[2] = number(output_.data()), a[3] = asked_.k;
        break;
      case GCTS_OP_QUANTIZE:
        a[1] = number(activations_.data()), a[2] = number(extra_.data()), a[3] = number(output_.data()), a[4] = asked_.k;
        break;
      case GCTS_OP_VEC_DOT:
        a[1] = number(weights_.data()), a[2] = number(activations_.data()), a[3] = number(output_.data()), a[4] = asked_.k;
        break;
      default:
        args.m = asked_.m, args.n = asked_.n, args.k = asked_.k;
        args.weights = weights_.data(), args.weight_stride = asked_.weight_stride;
        args.activations = activations_.data(), args.activation_stride = asked_.activation_stride;
        args.output = reinterpret_cast<float*>(output_.data()), args.output_stride = asked_.output_stride;
        args.threads = asked_.threads;
        args.experts = asked_.experts, args.expert_stride = asked_.expert_stride;
        if (kernel_.op == GCTS_OP_MATMUL_ID) args.ids = reinterpret_cast<const int32_t*>(extra_.data());
        args.prepared = prepared_.size() ? prepared_.data() : nullptr;
        a[1] = number(&args);
    }
    return static_cast<int32_t>(checked_call(kernel_.run, a, environment));
  }

  // Writes outside the rows: between them, and in the slack up to the guard pages.
  void note_damage(KernelAnswer& answer, int which) {
    if (answer.damage_offset != UINT64_MAX) return;
    const uint64_t slack = output_.damaged_slack();
    if (slack != UINT64_MAX) answer.damage_offset = slack;
    for (uint64_t row = 0; row + 1 < asked_.output_rows; ++row)
      for (uint64_t i = asked_.output_row_bytes; i < asked_.output_stride; ++i) {
        const uint64_t at = row * asked_.output_stride + i;
        if (output_.data()[at] != kPoison[which][at & 3]) {
          answer.damage_offset = at;
          return;
        }
      }
  }

  // Compares the second call's rows with the first's, which stand in the output memory.
  void note_unequal(KernelAnswer& answer) {
    const uint8_t* first = session_.output.data() + answer.output_offset;
    for (uint64_t row = 0; row < asked_.output_rows; ++row) {
      const uint8_t* second = row_at(row);
      const uint8_t* before = first + row * asked_.output_row_bytes;
      if (std::memcmp(second, before, asked_.output_row_bytes) == 0) continue;
      for (uint64_t i = 0; i < asked_.output_row_bytes; ++i) {
        if (second[i] == before[i]) continue;
        const uint64_t at = row * asked_.output_stride + i;
        answer.unequal_offset = row * asked_.output_row_bytes + i;
        const bool poison = before[i] == kPoison[0][at & 3] && second[i] == kPoison[1][at & 3];
        answer.unequal = poison ? Unequal::unwritten : Unequal::changing;
        return;
      }
    }
  }

  void note_leaks(KernelAnswer& answer) {
    uint32_t environment = 0, done = 2;
    for (; done < std::min(asked_.calls, kWarmCalls); ++done) call(environment);
    const Holdings before = Holdings::now();
    for (; done < asked_.calls; ++done) call(environment);
    const Holdings kept = before.grown(Holdings::now());
    answer.leaked_bytes = static_cast<uint64_t>(kept.heap_bytes);
    answer.leaked_fds = kept.lowest_fd;
    answer.leaked_threads = kept.threads;
  }

  Session& session_;
  const KernelRequest& asked_;
  const gcts_kernel kernel_;
  Region weights_, activations_, extra_, output_, prepared_;
  int32_t prepare_status_ = GCTS_OK;
};

}  // namespace

bool answer_kernel(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<KernelRequest>();
  if (!in.ok() || asked.kernel >= session.plugin.table.kernel_count) return false;
  const gcts_kernel kernel = session.plugin.kernel(asked.kernel);
  if (!kernel.run || !missing_feature(kernel.features ? kernel.features : "").empty()) return false;
  if ((asked.flags & kPrepareWeights) && !kernel.prepare) return false;
  KernelCall call(session, asked);
  if (!call.prepare()) return false;
  KernelAnswer answer = call.run();
  clear_fault_buffers();
  answer.total_cpu_ns = cpu_ns();
  session.answer.put(answer);
  return true;
}

}  // namespace gcts::worker
