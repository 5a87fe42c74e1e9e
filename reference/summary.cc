// Streaming statistics: moments by parts, magnitudes by power of two.

#include "reference/summary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "reference/codec.h"

namespace gcts {
namespace {

constexpr size_t kChunk = 4096;  // elements decoded at a time: a multiple of every block

}  // namespace

void TensorSummary::add(const std::byte* blocks, uint64_t block_count) {
  count_repeated(blocks, block_count);
  const uint64_t chunk_blocks = kChunk / type_->block_elements;
  float values[kChunk];
  for (uint64_t done = 0; done < block_count; done += chunk_blocks) {
    const uint64_t now = std::min(chunk_blocks, block_count - done);
    const uint64_t count = now * type_->block_elements;
    type_->codec->dequantize(blocks + done * type_->block_bytes, values, count);
    add_values(values, count);
  }
}

void TensorSummary::add_values(const float* values, size_t count) {
  double sum = 0;
  uint64_t finite = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t magnitude = std::bit_cast<uint32_t>(values[i]) & 0x7fffffff;
    if (magnitude >= 0x7f800000) {
      ++(magnitude > 0x7f800000 ? nan_ : infinite_);
      continue;
    }
    ++magnitudes_[magnitude == 0 ? 0 : (magnitude >> 23) + 1];
    if (finite_ + finite == 0) min_ = max_ = values[i];
    min_ = std::min(min_, values[i]);
    max_ = std::max(max_, values[i]);
    sum += values[i];
    ++finite;
  }
  if (finite == 0) return;
  const double mean = sum / static_cast<double>(finite);
  double squares = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) continue;
    const double distance = values[i] - mean;
    squares += distance * distance;
  }
  add_moments(finite, mean, squares);
}

// Joins two populations: the squared distances grow by those of the two means from the
// common one (Chan, Golub and LeVeque 1979).
void TensorSummary::add_moments(uint64_t count, double mean, double squares) {
  const auto mine = static_cast<double>(finite_);
  const auto others = static_cast<double>(count);
  const double distance = mean - mean_;
  finite_ += count;
  mean_ += distance * (others / (mine + others));
  squares_ += squares + distance * distance * (mine * others / (mine + others));
}

void TensorSummary::count_repeated(const std::byte* blocks, uint64_t block_count) {
  const uint64_t unit_bytes = uint64_t{unit_blocks()} * type_->block_bytes;
  const uint64_t units = block_count / unit_blocks();
  for (uint64_t i = 1; i < units; ++i) {
    const std::byte* unit = blocks + i * unit_bytes;
    repeated_ += std::memcmp(unit, unit - unit_bytes, unit_bytes) == 0 ? 1 : 0;
  }
  units_ += units;
}

void TensorSummary::add(const TensorSummary& next) {
  infinite_ += next.infinite_;
  nan_ += next.nan_;
  units_ += next.units_;
  repeated_ += next.repeated_;
  for (size_t i = 0; i < magnitudes_.size(); ++i) magnitudes_[i] += next.magnitudes_[i];
  if (next.finite_ == 0) return;
  min_ = finite_ == 0 ? next.min_ : std::min(min_, next.min_);
  max_ = finite_ == 0 ? next.max_ : std::max(max_, next.max_);
  add_moments(next.finite_, next.mean_, next.squares_);
}

double TensorSummary::deviation() const {
  return finite_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(finite_));
}

double TensorSummary::root_mean_square() const {
  return finite_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(finite_) + mean_ * mean_);
}

double TensorSummary::outlier_threshold() const {
  const double limit = 8 * root_mean_square();
  if (limit == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(limit, &exponent);  // limit = fraction * 2^exponent, 1/2 <= fraction < 1
  return std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
}

uint64_t TensorSummary::outliers() const {
  const double threshold = outlier_threshold();
  if (threshold == 0) return 0;
  // magnitudes_[k] starts at 2^(k - 128).
  const int first = std::max(std::ilogb(threshold) + 128, 1);
  uint64_t count = 0;
  for (size_t k = static_cast<size_t>(first); k < magnitudes_.size(); ++k) count += magnitudes_[k];
  return count;
}

}  // namespace gcts
