// A model to write, decoded into the tables of the plugin ABI (harness/model.h has
// the encoding).

#ifndef GCTS_HARNESS_WORKER_MODEL_H_
#define GCTS_HARNESS_WORKER_MODEL_H_

#include <deque>
#include <span>
#include <vector>

#include "gcts/plugin.h"
#include "harness/worker/wire.h"

namespace gcts::worker {

class Model {
 public:
  // Refers to `encoded`, which has to stay.  False if it is malformed.
  bool decode(std::span<const uint8_t> encoded);
  const gcts_write_request& request() const { return request_; }

 private:
  gcts_value value(WireReader& in);

  gcts_write_request request_{};
  std::vector<gcts_key_value> metadata_;
  std::vector<gcts_tensor> tensors_;
  std::deque<std::vector<gcts_value>> arrays_;
};

}  // namespace gcts::worker

#endif  // GCTS_HARNESS_WORKER_MODEL_H_
