// The codecs of blocks of one level of scales, on any bytes.

#include "fuzz/codec_blocks.h"
#include "fuzz/promise.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gcts::check_codec(gcts::CodecFamily::simple, data, size);
  return 0;
}
