// Places an operand on the host or the device.

#include "harness/worker/operand.h"

#include <algorithm>

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

std::vector<Operand::Part> Operand::copied() const {
  return parts.empty() ? std::vector<Part>{{0, host.whole().size()}} : parts;
}

bool Operand::upload() {
  if (!copy_) return true;
  for (const Part& part : copied())
    if (device_->upload(device_->context, copy_ + part.offset, host.whole().data() + part.offset, part.size) != GCTS_OK) return false;
  return true;
}

bool Operand::download() {
  if (!copy_) return true;
  for (const Part& part : copied())
    if (device_->download(device_->context, host.whole().data() + part.offset, copy_ + part.offset, part.size) != GCTS_OK) return false;
  return true;
}

int64_t Operand::changed() const {
  if (!copy_) return none;
  const auto whole = host.whole();
  std::vector<uint8_t> piece;
  for (const Part& part : copied())
    for (uint64_t done = 0; done < part.size; done += piece.size()) {
      const uint64_t at = part.offset + done;
      piece.resize(std::min(kPiece, part.size - done));
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
