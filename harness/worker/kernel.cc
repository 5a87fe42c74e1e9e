// Answers what a kernel makes of its operands, and what else it does.
//
// Every operand is copied between two unmapped pages, or mapped from a file where the
// request says so; inputs are read-only.  The output is poisoned and the kernel called,
// then once more over another poison: a byte that differs was not written or is not the
// same twice.  Room around and between the rows of the output has to stay as it was.
// Memory for repacked weights is poisoned before `prepare` and read-only after it.  A
// kernel on a device works on copies there.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "harness/worker/call_meter.h"
#include "harness/worker/checked_call.h"
#include "harness/worker/device.h"
#include "harness/worker/fault_reporter.h"
#include "harness/worker/features.h"
#include "harness/worker/operand.h"
#include "harness/worker/session.h"
#include "harness/worker/shared_memory.h"

namespace gcts::worker {
namespace {

// As floats both are NaNs that no operation produces; as codes and scales, nonsense.
constexpr uint8_t kPoison[2][4] = {{0x5a, 0xa5, 0xb5, 0x7f}, {0xb6, 0x4b, 0x9b, 0xff}};
// Calls before holdings are taken: what the first ones keep may be a cache.
constexpr uint32_t kWarmCalls = 16;
// Rounds of calls of which each has to show a leak.
constexpr int kLeakRounds = 4;
// An allocation takes 32 bytes or more; less than half of that a call is a cache that grows.
constexpr int64_t kSmallestObject = 16;

class KernelCall {
 public:
  KernelCall(Session& session, const KernelRequest& asked)
      : session_(session), asked_(asked), kernel_(session.plugin.kernel(asked.kernel)) {
    if (kernel_.flags & GCTS_KERNEL_ON_DEVICE) device_ = &session.plugin.device;
  }

  bool prepare() {
    clear_fault_buffers();
    if (!load(asked_.weights, weights_, Buffer::weights)) return false;
    if (!load(asked_.activations, activations_, Buffer::activations)) return false;
    if (!load(asked_.extra, extra_, Buffer::extra)) return false;
    if (!make_output()) return false;
    if (!place(output_, Buffer::output)) return false;
    return !(asked_.flags & kPrepareWeights) || repack();
  }

  KernelAnswer run() {
    KernelAnswer answer{};
    answer.damage_offset = UINT64_MAX;
    answer.output_offset = session_.output.size();
    answer.prepared_damaged = prepared_damaged_;
    poison(0);
    const uint64_t start = cpu_ns();
    answer.status = call(answer.environment);
    for (uint64_t part = 1; part < asked_.parts && answer.status == GCTS_OK; ++part)
      answer.status = call(answer.environment, part);
    answer.cpu_ns = cpu_ns() - start;
    answer.device_ns = device_ns();
    if (prepare_status_ != GCTS_OK) answer.status = prepare_status_;
    if (asked_.output_tile.tile_bytes != 0) {  // rows lie over each other: the tile is the output
      if (!take(output_.host.data(), std::min(asked_.output_tile.tile_bytes, output_.host.size()))) answer.status = GCTS_FAILED;
      answer.output_size = session_.output.size() - answer.output_offset;
      return answer;
    }
    note_damage(answer, 0);
    for (uint64_t row = 0; row < asked_.output_rows; ++row)
      if (!take(row_at(row), asked_.output_row_bytes)) return answer;
    answer.output_size = asked_.output_rows * asked_.output_row_bytes;
    note_device();
    if (asked_.parts > 1 && answer.status == GCTS_OK) note_concurrent(answer);
    if (answer.status != GCTS_OK || asked_.calls < 2) return answer;
    poison(1);
    uint32_t environment = 0;
    answer.status = call(environment);
    answer.environment |= environment;
    note_damage(answer, 1);
    note_unequal(answer);
    note_device();
    if (asked_.calls > 2) note_leaks(answer);
    return answer;
  }

  // What a device has to say: damage that a kernel did, or why it failed.
  const std::string& words() const { return words_; }

 private:
  bool load(const OperandRequest& from, Operand& operand, Buffer which) {
    if (from.size == 0) return true;
    Region& to = operand.host;
    if (from.tile_bytes != 0) {
      if (!to.map_tiles(kInputFd, from.offset, from.tile_bytes, from.size, false)) return false;
      if (which == Buffer::weights) operand.parts = far_apart();
    } else if (from.in_place != 0) {
      if (!to.map_file(kInputFd, from.offset, from.size)) return false;
    } else {
      const GuardedInput input(kInputFd, from.offset, from.size);
      if (!input.mapped() || !to.allocate(from.size, kernel_.alignment, asked_.placement, asked_.skew)) return false;
      std::memcpy(to.data(), input.data(), from.size);
      to.make_read_only();
    }
    return place(operand, which);
  }

  // Rows or matrices far from each other: what lies between them costs a device nothing.
  std::vector<Operand::Part> far_apart() const {
    const uint64_t count = asked_.experts > 1 ? asked_.experts : asked_.n;
    const uint64_t between = asked_.experts > 1 ? asked_.expert_stride : asked_.weight_stride;
    std::vector<Operand::Part> parts;
    if (count < 2 || between == 0 || (count - 1) * between >= asked_.weights.size) return parts;
    const uint64_t size = asked_.weights.size - (count - 1) * between;
    if (size >= between) return parts;
    for (uint64_t i = 0; i < count; ++i) parts.push_back({i * between, size});
    return parts;
  }

  // Where the kernel will find it, and where a fault will be looked for.
  bool place(Operand& operand, Buffer which) {
    if (!operand.copy_to(device_)) return false;
    add_fault_buffer(which, operand.address(), operand.host.size());
    return true;
  }

  bool make_output() {
    const uint64_t rows = asked_.output_rows;
    if (rows == 0) return false;
    const uint64_t size = (rows - 1) * asked_.output_stride + asked_.output_row_bytes;
    if (asked_.output_tile.tile_bytes != 0)
      return output_.host.map_tiles(kInputFd, asked_.output_tile.offset, asked_.output_tile.tile_bytes, size, true);
    return output_.host.allocate(size, kernel_.alignment, asked_.placement, asked_.skew);
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
    if (!prepared_.host.allocate(std::max<uint64_t>(size, 1), 64, Placement::end, 0)) return false;
    // NaN as a float, nonsense as a block: padding that `prepare` leaves out is not zero.
    std::memset(prepared_.host.data(), 0xff, size);
    if (!place(prepared_, Buffer::prepared)) return false;
    void* prepared = const_cast<void*>(prepared_.address());
    prepare_status_ = p.prepare(kernel_.context, weights_.address(), asked_.weight_stride, asked_.n, asked_.k, prepared);
    wait_for_device();
    if (device_) return true;
    prepared_damaged_ = prepared_.host.damaged_slack() != UINT64_MAX;
    prepared_.host.make_read_only();
    return true;
  }

  uint8_t* row_at(uint64_t row) const { return output_.host.data() + row * asked_.output_stride; }

  void poison(int which) {
    if (asked_.output_tile.tile_bytes != 0) return;
    for (uint64_t i = 0; i < output_.host.size(); ++i) output_.host.data()[i] = kPoison[which][i & 3];
  }

  void wait_for_device() const {
    if (device_) wait_for(*device_);
  }

  uint64_t device_ns() const {
    const double seconds = device_ && device_->seconds ? device_->seconds(device_->context) : 0;
    return seconds > 0 ? static_cast<uint64_t>(seconds * 1e9) : 0;
  }

  // One call with its output uploaded before and downloaded after it.
  int32_t call(uint32_t& environment, uint64_t part = 0) {
    if (!output_.upload()) return GCTS_FAILED;
    const int32_t status = call_kernel(environment, part);
    if (device_ && status != GCTS_OK) words_ = device_error(*device_);
    return output_.download() ? status : GCTS_FAILED;
  }

  int32_t call_kernel(uint32_t& environment, uint64_t part = 0) {
    const auto number = [](const void* p) { return reinterpret_cast<uint64_t>(p); };
    const uint64_t activations = number(activations_.address()) + part * asked_.activation_stride;
    const uint64_t output = number(output_.address()) + part * asked_.output_stride;
    gcts_matmul args{};
    uint64_t a[5] = {number(kernel_.context), 0, 0, 0, 0};
    switch (kernel_.op) {
      case GCTS_OP_DEQUANTIZE:
        a[1] = number(weights_.address()) + part * asked_.weight_stride, a[2] = output, a[3] = asked_.k;
        break;
      case GCTS_OP_QUANTIZE:
        a[1] = activations, a[2] = number(extra_.address()), a[3] = output, a[4] = asked_.k;
        break;
      case GCTS_OP_VEC_DOT:
        a[1] = number(weights_.address()), a[2] = activations, a[3] = output, a[4] = asked_.k;
        break;
      default:
        args.m = asked_.parts == 0 ? asked_.m : 1, args.n = asked_.n, args.k = asked_.k;
        args.weights = weights_.address(), args.weight_stride = asked_.weight_stride;
        args.activations = reinterpret_cast<const void*>(activations), args.activation_stride = asked_.activation_stride;
        args.output = reinterpret_cast<float*>(output), args.output_stride = asked_.output_stride;
        args.threads = asked_.threads;
        args.experts = asked_.experts, args.expert_stride = asked_.expert_stride;
        if (kernel_.op == GCTS_OP_MATMUL_ID) args.ids = static_cast<const int32_t*>(extra_.address()) + part;
        args.prepared = const_cast<void*>(prepared_.address());
        a[1] = number(&args);
    }
    const auto status = static_cast<int32_t>(checked_call(kernel_.run, a, environment));
    wait_for_device();
    return status;
  }

  // Inputs lie in memory that a device lets its kernels write to.
  void note_device() {
    if (!device_ || !words_.empty()) return;
    static constexpr std::pair<Operand KernelCall::*, const char*> kInputs[] = {
        {&KernelCall::weights_, "weights"}, {&KernelCall::activations_, "activations"}, {&KernelCall::extra_, "ids or importance"}};
    for (const auto& [input, name] : kInputs)
      if (const int64_t at = (this->*input).changed(); at != Operand::none)
        words_ = std::string("writes to the ") + name + ", at byte " + std::to_string(at);
    char damage[256] = "";
    if (words_.empty() && device_->check_guards && device_->check_guards(device_->context, damage, sizeof(damage)) != GCTS_OK)
      words_ = damage[0] ? damage : "writes outside its operands";
  }

  // Writes outside the rows: between them, and in the slack up to the guard pages.
  void note_damage(KernelAnswer& answer, int which) {
    if (answer.damage_offset != UINT64_MAX) return;
    const uint64_t slack = output_.host.damaged_slack();
    if (slack != UINT64_MAX) answer.damage_offset = slack;
    for (uint64_t row = 0; row + 1 < asked_.output_rows; ++row)
      for (uint64_t i = asked_.output_row_bytes; i < asked_.output_stride; ++i) {
        const uint64_t at = row * asked_.output_stride + i;
        if (output_.host.data()[at] != kPoison[which][at & 3]) {
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

  // Every part in a thread of its own, all in step, against what it gave alone.
  void note_concurrent(KernelAnswer& answer) {
    constexpr uint64_t kRounds = 8;
    poison(1);
    std::atomic<uint64_t> arrived = 0, wrong = UINT64_MAX;
    const auto work = [&](uint64_t part) {
      const uint8_t* alone = session_.output.data() + answer.output_offset + part * asked_.output_row_bytes;
      for (uint64_t round = 1; round <= kRounds; ++round) {
        for (++arrived; arrived < round * asked_.parts;) std::this_thread::yield();
        uint32_t environment = 0;
        if (call(environment, part) != GCTS_OK || std::memcmp(row_at(part), alone, asked_.output_row_bytes) != 0)
          wrong = part * asked_.output_row_bytes;
      }
    };
    std::vector<std::thread> threads;
    for (uint64_t part = 1; part < asked_.parts; ++part) threads.emplace_back(work, part);
    work(0);
    for (std::thread& thread : threads) thread.join();
    if (wrong == UINT64_MAX) return;
    answer.unequal = Unequal::concurrent;
    answer.unequal_offset = wrong;
  }

  // A leak is what every round of calls keeps: a driver's own threads allocate when they please.
  void note_leaks(KernelAnswer& answer) {
    uint32_t environment = 0, warm = 2;
    for (; warm < std::min(asked_.calls, kWarmCalls); ++warm) call_kernel(environment);
    Holdings kept{INT64_MAX, INT32_MAX, INT32_MAX};
    for (int round = 0; round < kLeakRounds && kept.any(); ++round) {
      const Holdings before = Holdings::now();
      for (uint32_t done = warm; done < asked_.calls; ++done) call_kernel(environment);
      kept = kept.common(before.grown(Holdings::now()));
      if (kept.heap_bytes < static_cast<int64_t>(asked_.calls - warm) * kSmallestObject) kept.heap_bytes = 0;
    }
    answer.leaked_bytes = static_cast<uint64_t>(kept.heap_bytes);
    answer.leaked_fds = kept.lowest_fd;
    answer.leaked_threads = kept.threads;
    if (answer.unequal == Unequal::no) note_unequal(answer);  // of the last call
  }

  Session& session_;
  const KernelRequest& asked_;
  const gcts_kernel kernel_;
  const gcts_device* device_ = nullptr;  // null: the kernel works on the host's memory
  Operand weights_, activations_, extra_, output_, prepared_;
  std::string words_;
  int32_t prepare_status_ = GCTS_OK;
  bool prepared_damaged_ = false;
};

// Whether the machine has what the kernel needs.  Asking it is slow in a virtual machine.
bool has_features(uint64_t index, const gcts_kernel& kernel) {
  static std::vector<int8_t> known;  // 0: not asked, 1: yes, -1: no
  if (known.size() <= index) known.resize(index + 1);
  if (known[index] == 0) known[index] = missing_feature(kernel.features ? kernel.features : "").empty() ? 1 : -1;
  return known[index] > 0;
}

}  // namespace

bool answer_kernel(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<KernelRequest>();
  if (!in.ok() || asked.kernel >= session.plugin.table.kernel_count) return false;
  const gcts_kernel kernel = session.plugin.kernel(asked.kernel);
  if (!kernel.run || !has_features(asked.kernel, kernel)) return false;
  if ((asked.flags & kPrepareWeights) && !kernel.prepare) return false;
  if ((kernel.flags & GCTS_KERNEL_ON_DEVICE) && !session.plugin.no_device.empty()) return false;
  KernelCall call(session, asked);
  if (!call.prepare()) return false;
  KernelAnswer answer = call.run();
  clear_fault_buffers();
  answer.total_cpu_ns = cpu_ns();
  session.answer.put(answer);
  session.answer.put_text(call.words());
  return true;
}

}  // namespace gcts::worker
