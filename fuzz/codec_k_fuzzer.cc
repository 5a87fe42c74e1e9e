// The codecs of super-blocks, on any bytes.

#include "fuzz/codec_blocks.h"
#include "fuzz/promise.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gcts::check_codec(gcts::CodecFamily::k, data, size);
  return 0;
}
