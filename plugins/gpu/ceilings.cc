// What the device can do at its best, as rows of the device table.

#include <iterator>
#include <vector>

#include "backend.h"
#include "kernels.h"

namespace gpu {
namespace {

constexpr uint64_t kGroupBytes = 8192;  // that a group of the loops over memory goes over
// Groups of the loops of arithmetic: so many rounds of what any device keeps at a time
// that a last round which is not full costs little.
constexpr uint64_t kGroups = 65536;
constexpr uint64_t kInner = 16;  // rounds of a loop a step
constexpr uint64_t kOperationsF32 = 64 * 2, kOperationsInt8 = 32 * 4 * 2;  // of a work item a round
constexpr uint64_t kStep = kGroups * kItems * kInner;

const Program kPrograms[] = {
    {"ceiling_read_across", "GPU_CEILING_READ(ceiling_read_across, GPU_PIECES_ACROSS)"},
    {"ceiling_read_along", "GPU_CEILING_READ(ceiling_read_along, GPU_PIECES_ALONG)"},
    {"ceiling_write_across", "GPU_CEILING_WRITE(ceiling_write_across, GPU_PIECES_ACROSS)"},
    {"ceiling_write_along", "GPU_CEILING_WRITE(ceiling_write_along, GPU_PIECES_ALONG)"},
    {"ceiling_copy_across", "GPU_CEILING_COPY(ceiling_copy_across, GPU_PIECES_ACROSS)"},
    {"ceiling_copy_along", "GPU_CEILING_COPY(ceiling_copy_along, GPU_PIECES_ALONG)"},
    {"ceiling_f32", "GPU_CEILING_F32(ceiling_f32)"},
    {"ceiling_int8", "GPU_CEILING_INT8(ceiling_int8)"},
};
enum Loop { kReadAcross, kReadAlong, kWriteAcross, kWriteAlong, kCopyAcross, kCopyAlong, kF32, kInt8 };

template <Loop loop>
gcts_status move(void*, void* to, const void* from, uint64_t bytes) {
  std::vector<Argument> arguments = {static_cast<const void*>(to)};
  if (loop != kWriteAcross && loop != kWriteAlong) arguments.push_back(from);
  return backend().launch({kPrograms[loop], {bytes / kGroupBytes, 1}, arguments}) ? GCTS_OK : GCTS_FAILED;
}
template <Loop loop>
gcts_status compute(void*, void* to, const void*, uint64_t steps) {
  const Argument arguments[] = {static_cast<const void*>(to), steps * kInner};
  return backend().launch({kPrograms[loop], {kGroups, 1}, arguments}) ? GCTS_OK : GCTS_FAILED;
}

constexpr const char* kAcross = "16 bytes an item";
constexpr const char* kAlong = "128 bytes an item";
const gcts_device_ceiling kCeilings[] = {
    {"read", kAcross, 0, move<kReadAcross>},          {"read", kAlong, 0, move<kReadAlong>},
    {"write", kAcross, 0, move<kWriteAcross>},        {"write", kAlong, 0, move<kWriteAlong>},
    {"copy", kAcross, 0, move<kCopyAcross>},          {"copy", kAlong, 0, move<kCopyAlong>},
    {"f32", "64 sums", kStep * kOperationsF32, compute<kF32>},
    {"int8", "dp4a, 32 sums", kStep * kOperationsInt8, compute<kInt8>},
};
static_assert(std::size(kCeilings) == std::size(kPrograms));
size_t count() { return std::size(kCeilings) - (kHasDot4 ? 0 : 1); }

}  // namespace

std::span<const gcts_device_ceiling> ceilings() { return {kCeilings, count()}; }
std::span<const Program> ceiling_programs() { return {kPrograms, count()}; }

}  // namespace gpu
