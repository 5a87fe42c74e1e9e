// Looks at the bytes of tensors; see tensor_scan.h.

#include "harness/tensor_scan.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "corpus/sha256.h"
#include "reference/codec.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// A buffer that stays in the second-level cache beside the kernel's page copies.
constexpr uint64_t kBufferBytes = 256 << 10;
// What a thread takes at a time: long enough for read-ahead, short enough to share well.
constexpr uint64_t kSliceBytes = 8 << 20;
constexpr uint64_t kMostPasses = 4;

// A tensor that can be looked at.
struct Target {
  size_t index = 0;             // in the reading and in the results
  const TensorType* type = nullptr;
  uint64_t block_bytes = 1;
  uint64_t begin = 0, size = 0; // in the file
};

// The tensors of known codec and size that lie within `limit` bytes.
std::vector<Target> targets_of(const Reading& reading, uint64_t limit) {
  std::vector<Target> out;
  for (size_t i = 0; i < reading.tensors.size(); ++i) {
    const TensorView& tensor = reading.tensors[i];
    const TensorType* type = find_tensor_type(tensor.type);
    if (!tensor.sized || type == nullptr || type->codec == nullptr || tensor.size % type->block_bytes != 0) continue;
    uint64_t begin = 0, end = 0;
    if (__builtin_add_overflow(reading.data_start, tensor.offset, &begin) || __builtin_add_overflow(begin, tensor.size, &end)) continue;
    if (end <= limit) out.push_back({i, type, type->block_bytes, begin, tensor.size});
  }
  return out;
}

// The faults of two parts of a tensor as one; the first illegal block is kept.
void merge_fault(const TensorFault& part, TensorFault& whole) {
  if (part.blocks == 0) return;
  const bool first = whole.blocks == 0 || (whole.strict_only && !part.strict_only) ||
                     (whole.strict_only == part.strict_only && part.first_block < whole.first_block);
  const uint64_t blocks = whole.blocks + part.blocks;
  const bool strict_only = part.strict_only && (whole.blocks == 0 || whole.strict_only);
  if (first) whole = part;
  whole.blocks = blocks;
  whole.strict_only = strict_only;
}

// Adds the faults of some blocks of a tensor, whose fields are little-endian.
void validate_blocks(const Target& target, bool strict, uint64_t first_block, std::span<const std::byte> blocks, TensorFault& fault) {
  const Codec& codec = *target.type->codec;
  const uint64_t count = blocks.size() / target.block_bytes;
  uint64_t i = codec.scan(blocks.data(), count, strict);
  for (; i < count; ++i) {  // one is illegal: each of the rest is looked at for itself
    const BlockFault here = codec.validate(blocks.data() + i * target.block_bytes);
    if (here.what == nullptr || (here.strict_only && !strict)) continue;
    const uint64_t block = first_block + i;
    merge_fault({block, target.begin + block * target.block_bytes + here.byte, here.what, here.strict_only, 1}, fault);
  }
}

// Looks at the next blocks of a tensor.  `blocks` is rewritten where the file is
// big-endian: everything but the digest wants little-endian fields.
void look_at(const Target& target, ByteOrder order, const ScanOptions& options, uint64_t first_block, std::span<std::byte> blocks,
             TensorScan& out, Sha256* sha) {
  if (sha != nullptr) sha->add(blocks);
  const uint64_t count = blocks.size() / target.block_bytes;
  if (order == ByteOrder::big) swap_fields(*target.type->codec, blocks.data(), count);
  if (options.validate) validate_blocks(target, options.strict, first_block, blocks, out.fault);
  if (options.summarize) {
    if (!out.summary) out.summary.emplace(*target.type);
    out.summary->add(blocks.data(), count);
  }
}

// A piece of one tensor, whole blocks.
struct Slice {
  size_t target = 0;
  uint64_t begin = 0, size = 0;  // within the tensor
};

class FileScan {
 public:
  FileScan(const MappedFile& file, const Reading& reading, const ScanOptions& options)
      : file_(file), options_(options), order_(reading.layout.order), targets_(targets_of(reading, file.size())),
        out_(reading.tensors.size()) {
    uint64_t left = file.size() > UINT64_MAX / kMostPasses ? UINT64_MAX : file.size() * kMostPasses;
    for (const Target& target : targets_) {
      if (target.size > left) break;
      left -= target.size;
      total_ += target.size;
      out_[target.index].scanned = true;
      cut(static_cast<size_t>(&target - targets_.data()));
    }
  }

  std::vector<TensorScan> run() {
    unsigned threads = options_.threads != 0 ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
    threads = static_cast<unsigned>(std::min<uint64_t>(threads, std::max<size_t>(1, slices_.size())));
    std::vector<std::thread> workers;
    running_ = threads;
    for (unsigned i = 0; i < threads; ++i) workers.emplace_back([this] { work(); });
    watch();
    for (std::thread& worker : workers) worker.join();
    return std::move(out_);
  }

 private:
  void cut(size_t index) {
    const Target& target = targets_[index];
    const uint64_t most = options_.digest || options_.summarize ? target.size : kSliceBytes / target.block_bytes * target.block_bytes;
    if (target.size == 0) slices_.push_back({index, 0, 0});
    for (uint64_t at = 0; at < target.size; at += most) slices_.push_back({index, at, std::min(most, target.size - at)});
  }

  void work() {
    std::vector<std::byte> buffer(kBufferBytes);
    for (size_t i = next_++; i < slices_.size(); i = next_++) scan(slices_[i], buffer);
    const std::lock_guard lock(mutex_);
    --running_;
    finished_.notify_one();
  }

  void scan(const Slice& slice, std::vector<std::byte>& buffer) {
    const Target& target = targets_[slice.target];
    const uint64_t step = kBufferBytes / target.block_bytes * target.block_bytes;
    TensorScan part;
    std::optional<Sha256> sha;
    if (options_.digest) sha.emplace();
    bool whole = true;
    for (uint64_t at = 0; at < slice.size && whole; at += step) {
      const std::span<std::byte> blocks(buffer.data(), std::min(step, slice.size - at));
      whole = file_.read_at(target.begin + slice.begin + at, blocks.data(), blocks.size()) == blocks.size();
      if (!whole) break;
      look_at(target, order_, options_, (slice.begin + at) / target.block_bytes, blocks, part, sha ? &*sha : nullptr);
      done_ += blocks.size();
    }
    const std::lock_guard lock(mutex_);
    TensorScan& result = out_[target.index];
    if (!whole) result.scanned = false;
    merge_fault(part.fault, result.fault);
    if (part.summary) result.summary = std::move(part.summary);
    if (sha && whole) result.sha256 = sha->finish();
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!finished_.wait_for(lock, std::chrono::milliseconds(200), [this] { return running_ == 0; })) {
      if (options_.progress) options_.progress(done_, total_);
    }
  }

  const MappedFile& file_;
  const ScanOptions& options_;
  const ByteOrder order_;
  const std::vector<Target> targets_;
  std::vector<Slice> slices_;
  std::vector<TensorScan> out_;
  uint64_t total_ = 0;
  std::atomic<size_t> next_{0};
  std::atomic<uint64_t> done_{0};
  std::mutex mutex_;
  std::condition_variable finished_;
  unsigned running_ = 0;
};

}  // namespace

std::vector<TensorScan> scan_tensors(const MappedFile& file, const Reading& reading, const ScanOptions& options) {
  return FileScan(file, reading, options).run();
}

struct StreamScan::State {
  const Reading& reading;
  ScanOptions options;
  std::vector<Target> targets;   // by place, without overlaps
  std::vector<TensorScan> out;
  size_t current = 0;            // the target that the next byte lies in or before
  uint64_t position = 0;         // of the next byte in the file
  std::vector<std::byte> held;   // the start of a block, or a copy that may be rewritten
  uint64_t block = 0;            // of the current target
  std::optional<Sha256> sha;

  State(const Reading& r, const ScanOptions& o) : reading(r), options(o), targets(targets_of(r, UINT64_MAX)), out(r.tensors.size()) {
    std::sort(targets.begin(), targets.end(),
              [](const Target& a, const Target& b) { return a.begin != b.begin ? a.begin < b.begin : a.index < b.index; });
    uint64_t end = 0;
    std::erase_if(targets, [&](const Target& target) {
      if (target.begin < end) return true;
      end = target.begin + target.size;
      return false;
    });
  }

  // Looks at the whole blocks at the front of `held`.
  void look_at_held(const Target& target) {
    const uint64_t whole = held.size() / target.block_bytes * target.block_bytes;
    if (whole == 0) return;
    look_at(target, reading.layout.order, options, block, {held.data(), whole}, out[target.index], sha ? &*sha : nullptr);
    block += whole / target.block_bytes;
    held.erase(held.begin(), held.begin() + static_cast<ptrdiff_t>(whole));
  }

  void finish_target() {
    TensorScan& result = out[targets[current].index];
    result.scanned = true;
    if (options.digest && !sha) sha.emplace();  // a tensor without bytes
    if (sha) result.sha256 = sha->finish();
    sha.reset();
    held.clear();
    block = 0;
    ++current;
  }
};

StreamScan::StreamScan(const Reading& reading, const ScanOptions& options) : state_(std::make_unique<State>(reading, options)) {}
StreamScan::~StreamScan() = default;

void StreamScan::feed(std::span<const std::byte> bytes) {
  State& s = *state_;
  while (!bytes.empty()) {
    while (s.current < s.targets.size() && s.targets[s.current].begin + s.targets[s.current].size <= s.position) s.finish_target();
    if (s.current == s.targets.size()) break;
    const Target& target = s.targets[s.current];
    if (target.begin > s.position) {  // padding, or a gap
      const uint64_t skip = std::min<uint64_t>(bytes.size(), target.begin - s.position);
      bytes = bytes.subspan(skip);
      s.position += skip;
      continue;
    }
    const uint64_t left = target.begin + target.size - s.position;
    const auto part = bytes.first(std::min({static_cast<uint64_t>(bytes.size()), left, kBufferBytes}));
    if (s.options.digest && !s.sha) s.sha.emplace();
    s.held.insert(s.held.end(), part.begin(), part.end());
    s.look_at_held(target);
    bytes = bytes.subspan(part.size());
    s.position += part.size();
  }
  s.position += bytes.size();
}

std::vector<TensorScan> StreamScan::finish() {
  State& s = *state_;
  while (s.current < s.targets.size() && s.targets[s.current].begin + s.targets[s.current].size <= s.position) s.finish_target();
  return std::move(s.out);
}

}  // namespace gcts
