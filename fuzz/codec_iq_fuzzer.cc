// The codecs of codebook types, on any bytes.

#include "fuzz/codec_blocks.h"
#include "fuzz/promise.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gcts::check_codec(gcts::CodecFamily::iq, data, size);
  return 0;
}
