// Compiles the region between the two markers for one instruction set.
//
// A region instead of compiler flags for a whole file: no inline function of a
// standard header can come out with instructions that another machine lacks and then
// be chosen by the linker for everyone.  Inside a region: no lambdas, no standard
// algorithms.

#ifndef GCTS_PLUGINS_CPU_TARGET_H_
#define GCTS_PLUGINS_CPU_TARGET_H_

#define CPU_PRAGMA(x) _Pragma(#x)
#if defined(__clang__)
#define TARGET_BEGIN(features) \
  CPU_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define TARGET_END CPU_PRAGMA(clang attribute pop)
#else
#define TARGET_BEGIN(features) CPU_PRAGMA(GCC push_options) CPU_PRAGMA(GCC target(features))
#define TARGET_END CPU_PRAGMA(GCC pop_options)
#endif

#endif  // GCTS_PLUGINS_CPU_TARGET_H_
