// What OpenCL C 1.2 and CUDA C++ spell differently.  All that follows is written in these
// names and in the C that both share.

#ifdef __OPENCL_VERSION__

#define GPU_KERNEL(items) __kernel __attribute__((reqd_work_group_size(items, 1, 1))) void
#define GPU_FUNCTION static
#define GPU_GLOBAL __global
#define GPU_SHARED __local
#define GPU_TO_SHARED __local
#define GPU_TABLE __constant
#define GPU_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define GPU_ITEM ((uint)get_local_id(0))
#define GPU_GROUP(dimension) ((ulong)get_group_id(dimension))

#define GPU_UNROLL
#define GPU_FMA(a, b, c) ((a) * (b) + (c))  // compilers may fuse it, and do

#define GPU_NEAREST(v) convert_int_rte(v)

// As many floats as a processor's widest vector holds, where one stands in for a GPU.
#define GPU_LANES 16
typedef float16 Lanes;
GPU_FUNCTION Lanes lanes_of(float v) { return (Lanes)(v); }

// Four products of signed bytes and a sum.
GPU_FUNCTION int dot4(int a, int b, int sum) {
  const char4 x = as_char4(a), y = as_char4(b);
  return sum + x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
}

GPU_FUNCTION float float_of_bits(uint bits) { return as_float(bits); }
GPU_FUNCTION float float_of_half(ushort bits) { return vload_half(0, (const __private half*)&bits); }

#else

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ulong;

#define GPU_KERNEL(items) extern "C" __global__ void __launch_bounds__(items)
#define GPU_FUNCTION static __device__ __forceinline__
#define GPU_GLOBAL
#define GPU_SHARED __shared__
#define GPU_TO_SHARED
#define GPU_TABLE static __device__ const
#define GPU_BARRIER() __syncthreads()
#define GPU_ITEM ((uint)threadIdx.x)
#define GPU_GROUP(dimension) ((ulong)((dimension) == 0 ? blockIdx.x : blockIdx.y))

#define GPU_UNROLL _Pragma("unroll")
#define GPU_FMA(a, b, c) fmaf(a, b, c)

#define GPU_NEAREST(v) __float2int_rn(v)

#define GPU_LANES 1
typedef float Lanes;
GPU_FUNCTION Lanes lanes_of(float v) { return v; }

#define GPU_HAS_DOT4  // as one instruction
GPU_FUNCTION int dot4(int a, int b, int sum) { return __dp4a(a, b, sum); }

GPU_FUNCTION float float_of_bits(uint bits) { return __uint_as_float(bits); }
GPU_FUNCTION float float_of_half(ushort bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

#endif

// Blocks lie at even addresses, those of odd size apart: fields are read in pairs of bytes.
GPU_FUNCTION uint load16(GPU_GLOBAL const uchar* p) { return *(GPU_GLOBAL const ushort*)p; }
GPU_FUNCTION uint load32(GPU_GLOBAL const uchar* p) { return load16(p) | load16(p + 2) << 16; }
GPU_FUNCTION float load_half(GPU_GLOBAL const uchar* p) { return float_of_half((ushort)load16(p)); }
