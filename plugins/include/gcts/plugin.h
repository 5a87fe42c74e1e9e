// The plugin ABI: what an implementation must provide to be tested.
//
// A plugin is a shared library that exports one function, gcts_plugin_entry.
// Everything else is reached from the table it returns, so that one library can
// offer a reader, a writer, kernels, or any of them.
//
// Conventions
//  * C11, self-contained: only this header is needed.
//  * The host owns every buffer that it passes in, for the length of the call.
//    The plugin owns the tables that it returns, for the life of the process.
//    No memory ever changes owner.
//  * Strings of the file format are (data, size): a GGUF string may hold NUL and
//    need not be UTF-8.  Names chosen by the plugin are NUL-terminated UTF-8.
//  * A plugin runs in a worker process of its own.  Functions are called from
//    one thread at a time unless a kernel is marked thread-safe.
//  * Errors are return values (gcts_status), never exceptions, signals or exit.
//    A text that explains one goes through the `message` call next to it.
//  * Structs only grow at their end.  struct_size and kernel_size say how much of
//    them the plugin knows; the host treats what lies beyond as zero.
//  * Multi-byte scalars that cross the ABI are in the byte order of the host
//    process.  Tensor bytes are as they stand in the file.
//
// The smallest reader is in plugins/template/; GgufCts::plugin_sdk and
// gcts_add_plugin() build it outside the tree.

#ifndef GCTS_PLUGIN_H_
#define GCTS_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define GCTS_EXPORT __declspec(dllexport)
#else
#define GCTS_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Incremented when an existing field or function changes its meaning.
#define GCTS_ABI_VERSION 1u

// The outcome of a call.  Only GCTS_REJECTED says "these bytes are not a valid
// file" (or "this model cannot be written"); it is the one status that satisfies
// a case which must be rejected.
typedef enum gcts_status {
  GCTS_OK = 0,           // done; for a reader: the file is valid
  GCTS_REJECTED = 1,     // the input breaks a rule; `message` says which
  GCTS_UNSUPPORTED = 2,  // the input may be right but is beyond this implementation
  GCTS_FAILED = 3        // the implementation itself failed (out of memory, I/O)
} gcts_status;

typedef struct gcts_string {
  const char* data;  // not NUL-terminated; may be null if size is 0
  size_t size;       // in bytes
} gcts_string;

// ------------------------------- Metadata values ------------------------------
//
// Ids of the value types are those of the file (GGUF document, enum
// gguf_metadata_value_type).  One byte each: uint8, int8, bool.  Two: uint16,
// int16.  Four: uint32, int32, float32.  Eight: uint64, int64, float64.

typedef enum gcts_value_type {
  GCTS_UINT8 = 0,
  GCTS_INT8 = 1,
  GCTS_UINT16 = 2,
  GCTS_INT16 = 3,
  GCTS_UINT32 = 4,
  GCTS_INT32 = 5,
  GCTS_FLOAT32 = 6,
  GCTS_BOOL = 7,
  GCTS_STRING = 8,
  GCTS_ARRAY = 9,
  GCTS_UINT64 = 10,
  GCTS_INT64 = 11,
  GCTS_FLOAT64 = 12
} gcts_value_type;

// ----------------------------------- Reader -----------------------------------

// Where a reader reports what it finds, in file order.  The host owns it.
//
//   file   = header { key value } { tensor } ;
//   value  = scalars (count 1) | string | array_begin { element } array_end ;
//   element = scalars (any count) | string | array_begin { element } array_end ;
//
// A reader that rejects a file may already have reported a part of it.  What it
// reported before a rejection is not judged.
typedef struct gcts_sink {
  void* context;  // first argument of every call below

  // version: 1, 2 or 3.  big_endian: 0 or 1.  alignment: the value in force.
  // May be called at any time before the first tensor, once.
  void (*header)(void* context, uint32_t version, int big_endian, uint32_t alignment);

  void (*key)(void* context, gcts_string key);

  // `count` scalars of `type`, packed, in the byte order of the process; a bool
  // is one byte.  The elements of one array may come in any number of calls.
  void (*scalars)(void* context, uint32_t type, const void* values, uint64_t count);
  void (*string)(void* context, gcts_string value);

  // An array's element type and count, then its elements, then array_end.
  void (*array_begin)(void* context, uint32_t element_type, uint64_t count);
  void (*array_end)(void* context);

  // dims[0] is the length of a row (innermost), as in the file.  offset: as in
  // the file, relative to the start of the tensor data.  data, size: the
  // tensor's bytes; data is null where the reader offers none (stage metadata).
  void (*tensor)(void* context, gcts_string name, uint32_t tensor_type, uint32_t rank,
                 const uint64_t* dims, uint64_t offset, const void* data, uint64_t size);

  // Why a file is rejected, unsupported or failed.  NUL-terminated UTF-8.
  void (*message)(void* context, const char* text);
} gcts_sink;

typedef enum gcts_stage {
  GCTS_STAGE_METADATA = 0,  // header, key-values, tensor infos
  GCTS_STAGE_DATA = 1       // the same, and the tensors' bytes
} gcts_stage;

// What a reader is asked to read.  A shard set is named by its first file.
typedef struct gcts_read_request {
  uint32_t stage;    // gcts_stage
  const char* path;  // a file that can be opened; null if none is offered
  const void* data;  // the file in memory, read-only, ending at an unmapped page;
                     // null if none is offered
  uint64_t size;     // of `data`
} gcts_read_request;

typedef gcts_status (*gcts_read_fn)(const gcts_read_request* request, const gcts_sink* sink);

// Which inputs a reader takes and what it covers; bits of gcts_reader.capabilities.
enum {
  GCTS_READS_PATH = 1u << 0,
  GCTS_READS_MEMORY = 1u << 1,
  GCTS_READS_SHARDS = 1u << 2,      // follows split.* to the other files of a set
  GCTS_READS_TENSOR_BYTES = 1u << 3 // hands tensor bytes to the sink in stage data
};

typedef struct gcts_reader {
  uint32_t struct_size;   // sizeof(gcts_reader)
  uint32_t capabilities;  // GCTS_READS_*
  gcts_read_fn read;
} gcts_reader;

// ----------------------------------- Writer -----------------------------------

// One metadata value of a model to write.  Scalars stand in `bits`, zero-extended
// to 64 bits; bits above the width of the type mean a value that the type cannot
// hold, which a writer must refuse.  Strings: data, count bytes.  Arrays: data
// points to gcts_value[count]; an element whose type is not element_type is
// another thing to refuse.
typedef struct gcts_value {
  uint32_t type;          // gcts_value_type
  uint32_t element_type;  // of an array
  uint64_t count;         // elements of an array; bytes of a string
  uint64_t bits;          // a scalar
  const void* data;
} gcts_value;

typedef struct gcts_key_value {
  gcts_string key;
  gcts_value value;
} gcts_key_value;

typedef struct gcts_tensor {
  gcts_string name;
  uint32_t type;  // tensor type id
  uint32_t rank;
  uint64_t dims[4];  // innermost first
  const void* data;
  uint64_t size;
} gcts_tensor;

// How the bytes are to be produced; all three give the same file.
typedef enum gcts_write_strategy {
  GCTS_WRITE_WHOLE = 0,           // front to back
  GCTS_WRITE_METADATA_FIRST = 1,  // metadata, then the tensor data appended
  GCTS_WRITE_RESERVE = 2          // room for the metadata, tensor data, metadata filled in
} gcts_write_strategy;

typedef struct gcts_write_request {
  uint32_t version;     // 3, or what the model was read from
  uint32_t big_endian;  // 0 or 1
  uint32_t strategy;    // gcts_write_strategy
  uint32_t reserved;
  const gcts_key_value* metadata;  // in file order; general.alignment among them if set
  uint64_t metadata_count;
  const gcts_tensor* tensors;  // in file order; the writer computes the offsets
  uint64_t tensor_count;
} gcts_write_request;

// Where a writer puts its bytes.  write_at returns 0, or non-zero when the bytes
// could not be stored: the writer must then return GCTS_FAILED.
typedef struct gcts_output {
  void* context;
  int (*write_at)(void* context, uint64_t offset, const void* data, size_t size);
  void (*message)(void* context, const char* text);
} gcts_output;

typedef gcts_status (*gcts_write_fn)(const gcts_write_request* request, const gcts_output* output);

enum {
  GCTS_WRITES_BIG_ENDIAN = 1u << 0,
  GCTS_WRITES_STRATEGIES = 1u << 1,  // all of gcts_write_strategy, else WHOLE alone
  GCTS_WRITES_OLD_VERSIONS = 1u << 2 // versions 1 and 2
};

typedef struct gcts_writer {
  uint32_t struct_size;   // sizeof(gcts_writer)
  uint32_t capabilities;  // GCTS_WRITES_*
  gcts_write_fn write;
} gcts_writer;

// ----------------------------------- Kernels ----------------------------------
//
// A kernel row is one operation on one tensor type for one instruction set.  All
// operands are row-major; a row of weights is row_bytes(type, K) bytes of whole
// blocks.  K, `count` and the like are in elements and are whole blocks.

typedef enum gcts_op {
  GCTS_OP_DEQUANTIZE = 0,  // run is a gcts_dequantize_fn
  GCTS_OP_QUANTIZE = 1,    // run is a gcts_quantize_fn
  GCTS_OP_VEC_DOT = 2,     // run is a gcts_vec_dot_fn
  GCTS_OP_MATMUL = 3,      // run is a gcts_matmul_fn
  GCTS_OP_MATMUL_ID = 4    // run is a gcts_matmul_fn with ids
} gcts_op;

typedef gcts_status (*gcts_dequantize_fn)(void* context, const void* blocks, float* values,
                                          uint64_t count);

// importance: one weight an element, or null.
typedef gcts_status (*gcts_quantize_fn)(void* context, const float* values, const float* importance,
                                        void* blocks, uint64_t count);

// weights: blocks of the kernel's tensor type; activations: blocks of its
// activation type, `count` elements each.
typedef gcts_status (*gcts_vec_dot_fn)(void* context, const void* weights, const void* activations,
                                       float* result, uint64_t count);

// output[m][n] = sum over k of activations[m][k] * weights[n][k].
// Strides are in bytes from one row to the next and may exceed the row; bytes
// between rows are never written.  matmul_id: weights hold `experts` matrices,
// expert_stride bytes apart, and row m of the output uses matrix ids[m].
typedef struct gcts_matmul {
  uint64_t m, n, k;
  const void* weights;
  uint64_t weight_stride;
  const void* activations;  // of the kernel's activation type (F32: as given)
  uint64_t activation_stride;
  float* output;
  uint64_t output_stride;
  uint32_t threads;  // 1 or more; the kernel may use fewer
  uint32_t experts;
  uint64_t expert_stride;
  const int32_t* ids;  // m entries in [0, experts); null for matmul
  void* prepared;      // what `prepare` filled, read-only; null without it
} gcts_matmul;

typedef gcts_status (*gcts_matmul_fn)(void* context, const gcts_matmul* args);

// Repacks n rows of k weights once into `prepared` (host-owned, 64-byte aligned,
// prepared_size(n, k) bytes).  The weights stay valid and unchanged.
typedef struct gcts_prepare {
  uint64_t (*prepared_size)(void* context, uint64_t n, uint64_t k);
  gcts_status (*prepare)(void* context, const void* weights, uint64_t weight_stride, uint64_t n,
                         uint64_t k, void* prepared);
} gcts_prepare;

typedef void (*gcts_fn)(void);  // cast to the type named by the op

typedef enum gcts_float_format {
  GCTS_FORMAT_F32 = 0,
  GCTS_FORMAT_F16 = 1,
  GCTS_FORMAT_BF16 = 2,
  GCTS_FORMAT_F64 = 3,
  GCTS_FORMAT_EXACT = 4  // not rounded at all
} gcts_float_format;

// How the activations of a matmul are changed before they are multiplied.
typedef enum gcts_activation {
  GCTS_ACTIVATION_AS_GIVEN = 0,
  GCTS_ACTIVATION_Q8_0 = 1,  // blocks of 32, f16 scale amax/127
  GCTS_ACTIVATION_Q8_1 = 2,  // the same and the block's sum
  GCTS_ACTIVATION_Q8_K = 3,  // blocks of 256, f32 scale
  GCTS_ACTIVATION_GROUP = 4, // int8 groups of activation_group elements, f32 scale amax/127
  GCTS_ACTIVATION_ROW = 5,   // one int8 group a row
  GCTS_ACTIVATION_F16 = 6,
  GCTS_ACTIVATION_BF16 = 7
} gcts_activation;

typedef enum gcts_block_sum {
  GCTS_SUM_EXACT = 0,     // from the codes, exactly
  GCTS_SUM_F16_CODES = 1, // f16 of d * sum(q)
  GCTS_SUM_F16_VALUES = 2 // f16 of sum(x)
} gcts_block_sum;

// The accuracy class: the arithmetic that a kernel claims, from which its error
// bound follows (reference/accuracy.h).  A zeroed struct claims the strictest class
// that any f32 kernel meets: element-wise f32 products and sums, nothing flushed.
typedef struct gcts_accuracy {
  uint32_t leaf_group;        // 0 or 1: each product is a float; g: exact integers within g elements
  uint32_t chain;             // longest chain of additions if known; 0: unknown (leaves - 1)
  uint32_t extra_roundings;   // roundings of a leaf beyond its product and scale products
  uint32_t accumulate;        // gcts_float_format of the sum
  uint32_t result;            // gcts_float_format that the result passes through
  uint32_t truncating;        // 1: rounds toward zero or to odd; doubles the unit roundoff
  uint32_t flushes_subnormals;// 1: subnormal inputs or results may become 0
  uint32_t weights;           // gcts_float_format the weights are rounded to; EXACT or F32: not
  uint32_t zero_point_leaf;   // 1: the zero point is a float term of its own
  uint32_t activation;        // gcts_activation
  uint32_t activation_group;  // elements, for GCTS_ACTIVATION_GROUP
  uint32_t block_sum;         // gcts_block_sum
  uint32_t code_min_unsupported; // 1: the int8 activation code -128 gives wrong results
  uint32_t activation_offset; // 1: GROUP and ROW have an offset: codes 0..255, x = scale * code + least x
  uint32_t inner_group;       // leaves summed in a format of their own before the sum proper; 0: none
  uint32_t inner_accumulate;  // gcts_float_format of those sums
} gcts_accuracy;

enum {
  GCTS_KERNEL_THREAD_SAFE = 1u << 0,         // may run in several threads at once
  GCTS_KERNEL_NOT_BATCH_INVARIANT = 1u << 1, // row i may depend on the number of rows
  GCTS_KERNEL_ON_DEVICE = 1u << 2            // operands live in memory of the device table
};

typedef struct gcts_kernel {
  uint32_t op;               // gcts_op
  uint32_t tensor_type;      // tensor type id of the blocks
  uint32_t activation_type;  // tensor type id of the activations; F32 (0) for dequantize, quantize
  uint32_t flags;            // GCTS_KERNEL_*
  const char* variant;       // "generic", "avx2", "neon", ...
  const char* features;      // cpu_features names, space separated ("avx2 f16c"); "" for none
  uint32_t alignment;        // of every operand in bytes; 0 or 1: any
  uint32_t multiple;         // K is a multiple of this many elements; 0: the block
  uint32_t row_multiple;     // N is a multiple of this; 0: any
  uint32_t reserved;
  gcts_accuracy accuracy;
  void* context;             // first argument of every call
  gcts_fn run;
  const gcts_prepare* prepare;  // may be null
} gcts_kernel;

// ----------------------------------- Devices ----------------------------------
//
// Where kernels marked ON_DEVICE work.  Every operand of such a kernel, output and ids
// included, lies in memory of the device; structs that point to them are the host's.
// The host uploads operands before a call and downloads the output after it: transfers
// are not part of the kernel's time.
//
//  * A device address is a void* that the host counts with (the next row, the middle of
//    an allocation) and never reads through.  A kernel gets addresses inside allocations.
//  * An allocation has exactly `size` bytes.  Its address is a multiple of the largest
//    power of two up to 64 that divides `size`.  What lies around it belongs to the
//    device: unmapped where it can be, so that a kernel that goes there faults, else a
//    guard zone of known bytes that check_guards looks at.
//  * A kernel may return before its work is done; `synchronize` waits for it.  When that
//    fails the device is lost, as by a fault of a kernel, and the process is given up.
//  * The host sees to it that nothing is called before `open` has succeeded, once.

typedef struct gcts_device_limits {
  char name[128];               // of the device, NUL-terminated
  char driver[128];             // its version
  uint64_t memory;              // bytes in all
  uint64_t largest_allocation;  // bytes
  uint32_t compute_units;
  uint32_t unmapped_guards;     // 1: what lies around an allocation is unmapped
} gcts_device_limits;

// One way of using the device as hard as it can be used.  The fastest way of a quantity is
// the ceiling that the speed of kernels is a share of.
//
//   "read", "write", "copy": goes once over `amount` bytes of `from`, of `to` or of both;
//       operations is 0 and `amount` a multiple of 1 MiB.
//   "f32", "int8", "f16", "bf16": makes `amount` steps, each of `operations` on the whole
//       device; a multiplication and an addition are two.
//
// `to` has room for `amount` bytes, and for 1 MiB where it counts steps; anything may be
// written there.
typedef struct gcts_device_ceiling {
  const char* quantity;
  const char* variant;  // "16 bytes an item"
  uint64_t operations;
  gcts_status (*run)(void* context, void* to, const void* from, uint64_t amount);
} gcts_device_ceiling;

typedef struct gcts_device {
  uint32_t struct_size;  // sizeof(gcts_device)
  uint32_t reserved;
  const char* name;      // of the interface: "OpenCL"
  // Not GCTS_OK: there is no such device, and why_not says why ("no OpenCL device: ...").
  gcts_status (*open)(void* context, char* why_not, size_t why_not_size);
  void* (*allocate)(void* context, uint64_t size);  // null: no memory
  void (*free)(void* context, void* memory);
  gcts_status (*upload)(void* context, void* to, const void* from, uint64_t size);
  gcts_status (*download)(void* context, void* to, const void* from, uint64_t size);
  gcts_status (*synchronize)(void* context);
  double (*seconds)(void* context);  // device time of the last kernel call; below 0: unknown
  // Not GCTS_OK: a guard zone was written to, and damage says where.
  gcts_status (*check_guards)(void* context, char* damage, size_t damage_size);
  void* context;
  gcts_status (*limits)(void* context, gcts_device_limits* limits);  // may be null
  const char* (*last_error)(void* context);  // what made the last call fail; may be null
  const gcts_device_ceiling* ceilings;       // null: it does not say what it can do
  uint64_t ceiling_count;
  uint32_t ceiling_size;  // sizeof(gcts_device_ceiling)
  uint32_t reserved_2;
} gcts_device;

// ------------------------------- Further checks -------------------------------
//
// What a plugin knows to check about the programming interface that it wraps, beyond what
// crosses this ABI.  The case is api/<name>.  Each check runs in a process of its own, so
// that it may crash, and may be one that has to.
typedef struct gcts_api_check {
  const char* name;      // snake_case
  const char* promise;   // what the interface promises, in one sentence
  uint32_t ends_by;      // the signal that has to end the call (6 for an abort); 0: it returns
  uint32_t reserved;
  // GCTS_OK: the promise is kept.  GCTS_REJECTED: it is broken; `message` says how.
  // GCTS_UNSUPPORTED: the implementation lacks what is checked.
  gcts_status (*run)(void* context, void (*message)(void* context, const char* text));
} gcts_api_check;

// ----------------------------------- Plugin -----------------------------------

typedef struct gcts_plugin {
  uint32_t abi_version;  // GCTS_ABI_VERSION
  uint32_t struct_size;  // sizeof(gcts_plugin)
  const char* name;      // "ggml"
  const char* version;   // of the implementation, "0.9.4"
  const gcts_reader* reader;   // null: reads no files
  const gcts_writer* writer;   // null: writes no files
  const gcts_kernel* kernels;  // null: has none
  uint64_t kernel_count;
  uint32_t kernel_size;  // sizeof(gcts_kernel)
  uint32_t reserved;
  const gcts_device* device;  // null: kernels work on host memory
  // Why the implementation cannot be used on this machine; null: it can.  Cases that it
  // does not offer are then skipped with these words.
  const char* unavailable;
  const gcts_api_check* api_checks;  // null: has none
  uint64_t api_check_count;
  uint32_t api_check_size;  // sizeof(gcts_api_check)
  uint32_t reserved_2;
} gcts_plugin;

typedef const gcts_plugin* (*gcts_plugin_entry_fn)(void);
GCTS_EXPORT const gcts_plugin* gcts_plugin_entry(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // GCTS_PLUGIN_H_
