// The kernels for AArch64: NEON as every such machine has it, and with the int8 dot
// products of Armv8.2 (dotprod) and the int8 matrix products of Armv8.6 (i8mm).

#if defined(__aarch64__)
#include <arm_neon.h>

#include "blocks.h"
#include "gcts/plugin.h"
#include "kernels.h"
#include "lattices.h"
#include "target.h"

namespace cpu::neon {

#include "neon_codes.h"

static inline int32x4_t dot16(int8x16_t c, int8x16_t y) {
  const int16x8_t low = vmull_s8(vget_low_s8(c), vget_low_s8(y));
  return vpadalq_s16(vpaddlq_s16(low), vmull_s8(vget_high_s8(c), vget_high_s8(y)));
}

#include "neon_kernels.h"

}  // namespace cpu::neon

#if defined(__clang__)
TARGET_BEGIN("dotprod")
#else
TARGET_BEGIN("arch=armv8.2-a+dotprod")
#endif
namespace cpu::neon_dotprod {

#include "neon_codes.h"

static inline int32x4_t dot16(int8x16_t c, int8x16_t y) { return vdotq_s32(vdupq_n_s32(0), c, y); }

#include "neon_kernels.h"

}  // namespace cpu::neon_dotprod
TARGET_END

#if defined(__clang__)
TARGET_BEGIN("dotprod,i8mm")
#else
TARGET_BEGIN("arch=armv8.2-a+dotprod+i8mm")
#endif
namespace cpu::neon_i8mm {

#include "neon_codes.h"
#include "neon_tiles.h"

}  // namespace cpu::neon_i8mm
TARGET_END
#endif
