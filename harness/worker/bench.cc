// Times kernels: operands kept ready in slots, calls counted out by the main process.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "harness/worker/arena.h"
#include "harness/worker/bench_protocol.h"
#include "harness/worker/device.h"
#include "harness/worker/features.h"
#include "harness/worker/pace.h"
#include "harness/worker/session.h"
#include "harness/worker/team.h"

namespace gcts::worker {
namespace {

constexpr uint64_t kPiece = 4u << 20;

// The entries of one operand, those of each thread together, in memory of the host or of a
// device.
struct Ring {
  Arena memory;
  const gcts_device* device = nullptr;
  uint8_t* copy = nullptr;      // on the device
  uint64_t step = 0;
  uint64_t entries = 0;         // of each thread
  std::vector<uint64_t> place;  // the next entry of each thread

  Ring() = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    if (copy) device->free(device->context, copy);
  }

  uint64_t thread_bytes() const { return step * entries; }
  uint8_t* data() const { return device ? copy : memory.data(); }
  uint8_t* entry(uint32_t thread, uint64_t index) const { return data() + thread * thread_bytes() + index % entries * step; }

  bool allocate(uint64_t bytes) {
    if (!device) return memory.allocate(bytes);
    copy = static_cast<uint8_t*>(device->allocate(device->context, bytes));
    return copy != nullptr;
  }
  bool get(void* to, const uint8_t* from, uint64_t bytes) const {
    if (device) return device->download(device->context, to, from, bytes) == GCTS_OK;
    std::memcpy(to, from, bytes);
    return true;
  }
  bool put(uint8_t* to, const void* from, uint64_t bytes) const {
    if (device) return device->upload(device->context, to, from, bytes) == GCTS_OK;
    std::memcpy(to, from, bytes);
    return true;
  }
};

struct FillWork final : TeamWork {
  Ring& ring;
  const std::vector<uint8_t>& period;
  std::atomic<bool> good = true;
  FillWork(Ring& to, const std::vector<uint8_t>& from) : ring(to), period(from) {}
  void run(uint32_t member) override {
    uint8_t* at = ring.data() + member * ring.thread_bytes();
    for (uint64_t left = ring.thread_bytes(); left > 0 && good;) {
      const uint64_t n = std::min<uint64_t>(left, period.size());
      if (!ring.put(at, period.data(), n)) good = false;
      at += n;
      left -= n;
    }
  }
};

std::shared_ptr<Ring> make_ring(uint64_t step, uint64_t entries, uint32_t team, const gcts_device* device) {
  auto ring = std::make_shared<Ring>();
  ring->device = device;
  ring->step = step;
  ring->entries = entries;
  ring->place.assign(team, 0);
  return ring->allocate(std::max<uint64_t>(1, ring->thread_bytes() * team)) ? ring : nullptr;
}

}  // namespace

// One kernel and what it works on.
struct Slot {
  gcts_kernel kernel{};
  const gcts_device* device = nullptr;
  BenchOpenRequest asked{};
  std::shared_ptr<Ring> weights, activations, extra;  // null where absent
  std::shared_ptr<Ring> output, prepared;
  std::vector<uint64_t> output_place;  // the next output entry of each thread
  std::vector<gcts_status> status;     // of each thread

  // Threads of each member of the team; a device's are its own.
  uint32_t threads() const { return device ? 0 : asked.threads; }
};

struct Bench {
  explicit Bench(const std::vector<uint32_t>& processors) : team(processors) {}

  Team team;
  std::map<uint32_t, Slot> slots;
  std::map<uint64_t, std::weak_ptr<Ring>> shared;  // by key
};

namespace {

Bench& bench_of(Session& session) {
  if (!session.bench) session.bench = std::make_shared<Bench>(session.processors);
  return *session.bench;
}

bool read_input(uint64_t offset, uint64_t size, std::vector<uint8_t>& out) {
  out.resize(size);
  for (uint64_t done = 0; done < size;) {
    const ssize_t n = pread(kInputFd, out.data() + done, size - done, static_cast<off_t>(offset + done));
    if (n <= 0) return false;
    done += static_cast<uint64_t>(n);
  }
  return true;
}

// Fills `ring` anew, or finds the one that another slot made.
bool load(Bench& bench, const BenchOperand& from, uint32_t team, const gcts_device* device, std::shared_ptr<Ring>& ring) {
  if (from.period_bytes == 0) return true;
  if (from.key != 0 && (ring = bench.shared[from.key].lock())) return ring->place.size() == team;
  std::vector<uint8_t> period;
  if (!read_input(from.period_offset, from.period_bytes, period)) return false;
  if (!(ring = make_ring(from.step, from.entries, team, device))) return false;
  // A device takes few large pieces sooner than many small ones.
  const size_t whole = period.size();
  while (device && period.size() + whole <= kPiece && period.size() < ring->thread_bytes())
    period.insert(period.end(), period.begin(), period.begin() + static_cast<std::ptrdiff_t>(whole));
  FillWork fill(*ring, period);
  if (bench.team.run(team, fill) == 0 || !fill.good) return false;
  if (from.key != 0) bench.shared[from.key] = ring;
  return true;
}

// Calls of one slot, made by each thread of its team.
struct CallWork final : TeamWork {
  Slot& slot;
  uint64_t calls;
  CallWork(Slot& of, uint64_t count) : slot(of), calls(count) {}

  static uint8_t* next(Ring* ring, uint32_t thread, uint64_t& place) {
    if (!ring) return nullptr;
    uint8_t* at = ring->entry(thread, place);
    place = place + 1 == ring->entries ? 0 : place + 1;
    return at;
  }

  void run(uint32_t member) override {
    uint64_t none = 0;
    Ring *w = slot.weights.get(), *a = slot.activations.get(), *o = slot.output.get();
    uint64_t wp = w ? w->place[member] : none, ap = a ? a->place[member] : none, op = slot.output_place[member];
    void* context = slot.kernel.context;
    const uint64_t k = slot.asked.k;
    gcts_status status = GCTS_OK;
    switch (slot.kernel.op) {
      case GCTS_OP_DEQUANTIZE: {
        const auto run = reinterpret_cast<gcts_dequantize_fn>(slot.kernel.run);
        for (uint64_t i = 0; i < calls && status == GCTS_OK; ++i)
          status = run(context, next(w, member, wp), reinterpret_cast<float*>(next(o, member, op)), k);
        break;
      }
      case GCTS_OP_QUANTIZE: {
        const auto run = reinterpret_cast<gcts_quantize_fn>(slot.kernel.run);
        for (uint64_t i = 0; i < calls && status == GCTS_OK; ++i)
          status = run(context, reinterpret_cast<const float*>(next(a, member, ap)), nullptr, next(o, member, op), k);
        break;
      }
      case GCTS_OP_VEC_DOT: {
        const auto run = reinterpret_cast<gcts_vec_dot_fn>(slot.kernel.run);
        for (uint64_t i = 0; i < calls && status == GCTS_OK; ++i)
          status = run(context, next(w, member, wp), next(a, member, ap), reinterpret_cast<float*>(next(o, member, op)), k);
        break;
      }
      default:
        status = multiply(member, wp, ap, op);
    }
    if (slot.device) wait_for(*slot.device);
    if (w) w->place[member] = wp;
    if (a) a->place[member] = ap;
    slot.output_place[member] = op;
    slot.status[member] = status;
  }

  gcts_status multiply(uint32_t member, uint64_t& wp, uint64_t& ap, uint64_t& op) {
    const BenchOpenRequest& asked = slot.asked;
    const auto run = reinterpret_cast<gcts_matmul_fn>(slot.kernel.run);
    gcts_matmul args{};
    args.m = asked.m, args.n = asked.n, args.k = asked.k;
    args.weight_stride = asked.weight_stride;
    args.activation_stride = asked.activation_stride;
    args.output_stride = asked.output_stride;
    args.threads = asked.threads;
    args.experts = asked.experts;
    args.expert_stride = asked.expert_stride;
    if (slot.extra) args.ids = reinterpret_cast<const int32_t*>(slot.extra->entry(member, 0));
    gcts_status status = GCTS_OK;
    for (uint64_t i = 0; i < calls && status == GCTS_OK; ++i) {
      if (slot.prepared) args.prepared = slot.prepared->entry(member, wp);
      args.weights = next(slot.weights.get(), member, wp);
      args.activations = next(slot.activations.get(), member, ap);
      args.output = reinterpret_cast<float*>(next(slot.output.get(), member, op));
      status = run(slot.kernel.context, &args);
    }
    return status;
  }
};

// How undisturbed the processors are that a slot's threads run on.
struct PaceWork final : TeamWork {
  std::vector<uint64_t> ns;
  explicit PaceWork(uint32_t size) : ns(size) {}
  void run(uint32_t member) override { ns[member] = pace_ns(); }
};
uint64_t slowest_pace(Team& team, const Slot& slot) {
  if (slot.device) return 0;
  PaceWork work(slot.asked.team * slot.asked.threads);
  team.run(static_cast<uint32_t>(work.ns.size()), work);
  return *std::max_element(work.ns.begin(), work.ns.end());
}

// Repacks each entry of the weights once.
gcts_status repack(Slot& slot, BenchOpenAnswer& answer) {
  const gcts_prepare& p = *slot.kernel.prepare;
  const BenchOpenRequest& asked = slot.asked;
  answer.prepared_bytes = p.prepared_size(slot.kernel.context, asked.n, asked.k);
  const uint64_t step = (std::max<uint64_t>(answer.prepared_bytes, 1) + 63) / 64 * 64;
  slot.prepared = make_ring(step, slot.weights->entries, asked.team, slot.device);
  if (!slot.prepared) {
    answer.no_memory = 1;
    return GCTS_OK;
  }
  gcts_status status = GCTS_OK;
  const uint64_t start = now_ns();
  for (uint32_t t = 0; t < asked.team; ++t)
    for (uint64_t e = 0; e < slot.weights->entries && status == GCTS_OK; ++e)
      status = p.prepare(slot.kernel.context, slot.weights->entry(t, e), asked.weight_stride, asked.n, asked.k,
                         slot.prepared->entry(t, e));
  if (slot.device) wait_for(*slot.device);
  answer.prepare_ns = (now_ns() - start) / (asked.team * slot.weights->entries);
  return status;
}

// Overwrites the outputs, so that old results do not count: all that will be looked at.
void poison(Slot& slot) {
  const Ring& ring = *slot.output;
  if (!slot.device) {
    std::memset(ring.data(), 0xff, ring.thread_bytes() * slot.asked.team);
    return;
  }
  const std::vector<OutputPiece> pieces = output_pieces(slot.asked.output_bytes);
  const std::vector<uint8_t> blank(std::max_element(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; })->bytes, 0xff);
  for (uint64_t e = 0; e < ring.entries; ++e)
    for (const OutputPiece& piece : pieces) ring.put(ring.entry(0, e) + piece.offset, blank.data(), piece.bytes);
}

bool sensible(const BenchOpenRequest& asked, const gcts_kernel& kernel) {
  if (asked.slot >= kMostSlots || asked.team < 1 || asked.team > kMostThreads || asked.output_entries < 1 ||
      asked.threads < 1 || asked.threads > kMostThreads / asked.team) return false;
  for (const BenchOperand* o : {&asked.weights, &asked.activations, &asked.extra})
    if (o->period_bytes != 0 && (o->step == 0 || o->entries == 0)) return false;
  if (asked.prepare != 0 && (!kernel.prepare || asked.weights.period_bytes == 0)) return false;
  return kernel.run && missing_feature(kernel.features ? kernel.features : "").empty();
}

}  // namespace

bool answer_bench_place(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  session.processors.clear();
  while (in.ok() && in.left() > 0) session.processors.push_back(in.take<uint32_t>());
  return in.ok() && !session.bench;
}

bool answer_bench_open(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<BenchOpenRequest>();
  if (!in.ok() || asked.kernel >= session.plugin.table.kernel_count) return false;
  Bench& bench = bench_of(session);
  Slot slot;
  slot.asked = asked;
  slot.kernel = session.plugin.kernel(asked.kernel);
  if (!sensible(asked, slot.kernel)) return false;
  slot.device = session.plugin.device_of(slot.kernel);
  if ((slot.kernel.flags & GCTS_KERNEL_ON_DEVICE) && (!slot.device || asked.team != 1)) return false;
  BenchOpenAnswer answer{};
  const auto load_one = [&](const BenchOperand& from, std::shared_ptr<Ring>& to) { return load(bench, from, asked.team, slot.device, to); };
  bool loaded = load_one(asked.weights, slot.weights) && load_one(asked.activations, slot.activations) && load_one(asked.extra, slot.extra);
  if (loaded) {
    slot.output = make_ring((asked.output_bytes + 3) / 4 * 4, asked.output_entries, asked.team, slot.device);
    loaded = slot.output != nullptr;
  }
  slot.output_place.assign(asked.team, 0);
  slot.status.assign(asked.team, GCTS_OK);
  answer.no_memory = !loaded;
  if (loaded) {
    if (!slot.device) {
      const std::vector<uint8_t> blank(4096, 0xff);  // touched by the threads that use it
      FillWork fill(*slot.output, blank);
      bench.team.run(asked.team, fill);
    }
    if (asked.prepare != 0) answer.status = repack(slot, answer);
    bench.slots[asked.slot] = std::move(slot);
  }
  session.answer.put(answer);
  return true;
}

bool answer_bench_sample(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<BenchSampleRequest>();
  Bench& bench = bench_of(session);
  const auto found = bench.slots.find(asked.slot);
  if (!in.ok() || found == bench.slots.end()) return false;
  Slot& slot = found->second;
  if (asked.poison != 0) poison(slot);
  BenchSampleAnswer answer{};
  CallWork warm(slot, asked.warm_calls), timed(slot, asked.calls + asked.calls * asked.extra_permille / 1000);
  if (asked.warm_calls > 0) bench.team.run(slot.asked.team, warm, slot.threads());
  const auto good = [&] { return std::find_if(slot.status.begin(), slot.status.end(), [](gcts_status s) { return s != GCTS_OK; }); };
  if (good() == slot.status.end()) {
    answer.pace_ns = slowest_pace(bench.team, slot);
    answer.ns = bench.team.run(slot.asked.team, timed, slot.threads());
    answer.pace_ns = std::max(answer.pace_ns, slowest_pace(bench.team, slot));
  }
  if (const auto bad = good(); bad != slot.status.end()) answer.status = *bad;
  session.answer.put(answer);
  session.answer.put_text(slot.device && answer.status != GCTS_OK ? device_error(*slot.device) : "");
  return true;
}

bool answer_bench_output(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto asked = in.take<BenchOutputRequest>();
  Bench& bench = bench_of(session);
  const auto found = bench.slots.find(asked.slot);
  if (!in.ok() || found == bench.slots.end() || asked.thread >= found->second.asked.team) return false;
  const Slot& slot = found->second;
  const Ring& ring = *slot.output;
  const uint64_t count = std::clamp<uint64_t>(asked.count, 1, ring.entries);
  BenchOutputAnswer answer{};
  const uint64_t first = (slot.output_place[asked.thread] + ring.entries - count) % ring.entries;
  if (const Ring* w = slot.weights.get()) answer.first_weights = (w->place[asked.thread] + w->entries - count % w->entries) % w->entries;
  answer.output_offset = session.output.size();
  for (uint64_t i = 0; i < count; ++i) {
    for (const OutputPiece& piece : output_pieces(slot.asked.output_bytes)) {
      uint8_t* to = session.output.extend(piece.bytes);
      if (!to || !ring.get(to, ring.entry(asked.thread, first + i) + piece.offset, piece.bytes)) return false;
      answer.output_size += piece.bytes;
    }
  }
  session.answer.put(answer);
  return true;
}

bool answer_bench_close(Session& session, std::span<const uint8_t> payload) {
  WireReader in(payload);
  const auto slot = in.take<uint32_t>();
  if (!in.ok()) return false;
  bench_of(session).slots.erase(slot);
  return true;
}

}  // namespace gcts::worker
