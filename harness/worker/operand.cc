#include "harness/worker/operand.h"

#include <algorithm>
#include <vector>

namespace gcts::worker {
namespace {

// Compared in pieces, so that large operands take no memory twice.
constexpr uint64_t kPiece = 4u << 20;

}  // namespace

Operand::~Operand() {
  if (copy_) device_->free(device_->context, copy_);
}

bool Operand::copy_to(const gcts_device* device) {
  if (!device || host.size() == 0) return true;
  device_ = device;
  copy_ = static_cast<uint8_t*>(device->allocate(device->context, host.whole().size()));
  return copy_ && upload();
}

bool Operand::upload() {
  return !copy_ || device_->upload(device_->context, copy_, host.whole().data(), host.whole().size()) == GCTS_OK;
}

bool Operand::download() {
  return !copy_ || device_->download(device_->context, host.whole().data(), copy_, host.whole().size()) == GCTS_OK;
}

int64_t Operand::changed() const {
  if (!copy_) return none;
  const auto whole = host.whole();
  std::vector<uint8_t> piece(std::min<uint64_t>(kPiece, whole.size()));
  for (uint64_t at = 0; at < whole.size(); at += piece.size()) {
    piece.resize(std::min<uint64_t>(piece.size(), whole.size() - at));
    if (device_->download(device_->context, piece.data(), copy_ + at, piece.size()) != GCTS_OK) return none;
    const auto [now, before] = std::mismatch(piece.begin(), piece.end(), whole.data() + at);
    if (now != piece.end()) return before - host.data();
  }
  return none;
}

const void* Operand::address() const {
  if (!copy_) return host.data();
  return copy_ + (host.data() - host.whole().data());
}

}  // namespace gcts::worker
