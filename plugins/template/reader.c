// A small GGUF reader: checks a file in memory and reports what it holds.
//
// It goes over the file once, and over the tensor infos a second time, because the
// place of the tensor data is known only after the last of them.  Strings and
// tensor bytes are handed on where they stand, so nothing is ever allocated.
// README.md says which rules are left to a larger reader.

#include <stdio.h>

#include "bytes.h"
#include "reader.h"

enum { DEFAULT_ALIGNMENT = 32, MAX_RANK = 4, MAX_KEY = 65535, MAX_NAME = 64, MAX_DEPTH = 64 };

typedef struct reader {
  bytes in;
  const gcts_sink* sink;
  bool with_data;           // stage data: the tensors' bytes are looked at too
  bool unsupported;         // the file may be right; this reader cannot tell
  uint32_t version;
  uint64_t metadata_count, tensor_count;
  uint32_t alignment;
} reader;

static bool reject(reader* r, const char* why) {
  char text[160];
  snprintf(text, sizeof text, "offset %llu: %s", (unsigned long long)r->in.at, why);
  r->sink->message(r->sink->context, text);
  return false;
}

// --------------------------------- Metadata ---------------------------------

static bool host_is_big_endian(void) {
  const uint16_t one = 1;
  return *(const uint8_t*)&one == 0;
}

// Reports `count` scalars of the file, turned to the byte order of the host.
static bool read_scalars(reader* r, uint32_t type, uint64_t count) {
  const unsigned size = scalar_size(type);
  if (count > bytes_left(&r->in) / size) return reject(r, "the file ends inside a value");
  const uint8_t* p = take(&r->in, count * size);
  if (type == GCTS_BOOL) {
    for (uint64_t i = 0; i < count; i++)
      if (p[i] > 1) return reject(r, "a bool is neither 0 nor 1");
  }
  if (r->in.big_endian == host_is_big_endian()) {
    r->sink->scalars(r->sink->context, type, p, count);
    return true;
  }
  uint8_t swapped[4096];
  while (count > 0) {
    const uint64_t n = count < sizeof swapped / size ? count : sizeof swapped / size;
    for (uint64_t i = 0; i < n * size; i++) swapped[i] = p[i - i % size + size - 1 - i % size];
    r->sink->scalars(r->sink->context, type, swapped, n);
    p += n * size;
    count -= n;
  }
  return true;
}

static bool read_string(reader* r) {
  gcts_string s;
  if (!take_string(&r->in, &s)) return reject(r, "the file ends inside a string");
  r->sink->string(r->sink->context, s);
  return true;
}

// The element type and count of an array.  A count that the rest of the file cannot
// hold is refused here, before anything is done with it.
static bool read_array_head(reader* r, uint32_t* type, uint64_t* count) {
  if (!take_value_type(&r->in, type) || !take_u64(&r->in, count))
    return reject(r, "the file ends inside an array");
  if (*type > GCTS_FLOAT64) return reject(r, "unknown element type");
  const unsigned smallest = scalar_size(*type) ? scalar_size(*type) : *type == GCTS_STRING ? 8 : 12;
  if (*count > bytes_left(&r->in) / smallest) return reject(r, "an array is longer than the file");
  r->sink->array_begin(r->sink->context, *type, *count);
  return true;
}

// A value of any nesting.  Open arrays wait on a stack of our own, so that a file
// cannot exhaust the machine's.
static bool read_value(reader* r, uint32_t type) {
  struct { uint32_t type; uint64_t left; } open[MAX_DEPTH];
  int depth = 0;
  for (;;) {
    if (type > GCTS_FLOAT64) return reject(r, "unknown value type");
    if (type == GCTS_ARRAY) {
      if (depth == MAX_DEPTH) {
        r->unsupported = true;
        return reject(r, "arrays are nested more than 64 deep");
      }
      if (!read_array_head(r, &open[depth].type, &open[depth].left)) return false;
      if (scalar_size(open[depth].type)) {
        if (!read_scalars(r, open[depth].type, open[depth].left)) return false;
        open[depth].left = 0;
      }
      depth++;
    } else if (type == GCTS_STRING) {
      if (!read_string(r)) return false;
    } else if (!read_scalars(r, type, 1)) {
      return false;
    }
    while (depth > 0 && open[depth - 1].left == 0) {
      r->sink->array_end(r->sink->context);
      depth--;
    }
    if (depth == 0) return true;
    open[depth - 1].left--;
    type = open[depth - 1].type;
  }
}

// Segments of lower-case letters, digits and underscores, separated by dots.
static bool is_key(gcts_string s) {
  bool empty_segment = true;
  for (size_t i = 0; i < s.size; i++) {
    const char c = s.data[i];
    const bool dot = c == '.';
    if (dot ? empty_segment : !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
    empty_segment = dot;
  }
  return !empty_segment;
}

static bool equals(gcts_string s, const char* text) {
  return s.size == strlen(text) && memcmp(s.data, text, s.size) == 0;
}

static bool read_alignment(reader* r, uint32_t type) {
  if (type != GCTS_UINT32) return reject(r, "general.alignment is not a uint32");
  bytes ahead = r->in;
  if (!take_u32(&ahead, &r->alignment)) return reject(r, "the file ends inside a value");
  if (r->alignment == 0 || r->alignment % 8 != 0)
    return reject(r, "general.alignment is not a multiple of 8");
  return true;
}

static bool read_key_value(reader* r) {
  gcts_string key;
  uint32_t type;
  if (!take_string(&r->in, &key)) return reject(r, "the file ends inside a key");
  if (key.size > MAX_KEY) return reject(r, "a key is longer than 65535 bytes");
  if (!is_key(key)) return reject(r, "a key is not dotted lower_snake_case");
  if (!take_value_type(&r->in, &type)) return reject(r, "the file ends after a key");
  if (equals(key, "general.alignment") && !read_alignment(r, type)) return false;
  r->sink->key(r->sink->context, key);
  return read_value(r, type);
}

// ---------------------------------- Tensors ---------------------------------

typedef struct tensor_info {
  gcts_string name;
  uint32_t rank, type;
  uint64_t dims[MAX_RANK];
  uint64_t offset, size;
} tensor_info;

static bool tensor_size(reader* r, tensor_info* t) {
  const block b = block_of(t->type);
  if (b.elements == 0) return reject(r, "unknown or removed tensor type");
  if (t->dims[0] % b.elements != 0) return reject(r, "a row is not made of whole blocks");
  // One by one: a dimension of 0 would hide any other in the product.
  for (uint32_t i = 0; i < MAX_RANK; i++)
    if (t->dims[i] > INT64_MAX) return reject(r, "a dimension is 2^63 or more");
  uint64_t elements = 1;
  for (uint32_t i = 0; i < MAX_RANK; i++)
    if (!multiply(elements, t->dims[i], &elements) || elements >= INT64_MAX)
      return reject(r, "a tensor has too many elements");
  if (!multiply(elements / b.elements, b.bytes, &t->size))
    return reject(r, "a tensor has too many bytes");
  return true;
}

static bool read_tensor_info(reader* r, tensor_info* t) {
  if (!take_string(&r->in, &t->name)) return reject(r, "the file ends inside a tensor name");
  if (t->name.size > MAX_NAME) return reject(r, "a tensor name is longer than 64 bytes");
  if (!take_u32(&r->in, &t->rank)) return reject(r, "the file ends inside a tensor info");
  if (t->rank > MAX_RANK) return reject(r, "a tensor has more than 4 dimensions");
  for (uint32_t i = 0; i < MAX_RANK; i++) {
    t->dims[i] = 1;
    if (i < t->rank && !take_u64(&r->in, &t->dims[i]))
      return reject(r, "the file ends inside a tensor info");
  }
  if (!take_u32(&r->in, &t->type) || !take_u64(&r->in, &t->offset))
    return reject(r, "the file ends inside a tensor info");
  if (t->offset % r->alignment != 0) return reject(r, "a tensor offset is not aligned");
  return tensor_size(r, t);
}

static bool report_tensor(reader* r, const tensor_info* t, uint64_t data_start) {
  const uint8_t* data = NULL;
  if (r->with_data) {
    const uint64_t room = r->in.size - data_start;
    if (t->offset > room || t->size > room - t->offset)
      return reject(r, "the file ends before a tensor does");
    data = r->in.data + data_start + t->offset;
  }
  r->sink->tensor(r->sink->context, t->name, t->type, t->rank, t->dims, t->offset, data, t->size);
  return true;
}

// Where the tensor data begin.
static bool skip_padding(reader* r, uint64_t* data_start) {
  if (!round_up(r->in.at, r->alignment, data_start) || *data_start > r->in.size)
    return reject(r, "the file ends before the tensor data");
  return true;
}

static bool read_tensors(reader* r) {
  tensor_info t;
  const uint64_t first = r->in.at;
  for (uint64_t i = 0; i < r->tensor_count; i++)
    if (!read_tensor_info(r, &t)) return false;
  uint64_t data_start = 0;
  if (r->with_data && r->tensor_count > 0 && !skip_padding(r, &data_start)) return false;
  r->in.at = first;
  for (uint64_t i = 0; i < r->tensor_count; i++)
    if (!read_tensor_info(r, &t) || !report_tensor(r, &t, data_start)) return false;
  return true;
}

// ----------------------------------- File -----------------------------------

static bool read_header(reader* r) {
  const uint8_t* magic = take(&r->in, 4);
  if (!magic || memcmp(magic, "GGUF", 4) != 0) return reject(r, "no GGUF magic");
  if (!take_u32(&r->in, &r->version)) return reject(r, "the file ends inside the header");
  if ((r->version & 0xFFFF) == 0) {  // a small number, read in the wrong byte order
    r->version = r->version << 8 >> 24 << 8 | r->version >> 24;
    r->in.big_endian = true;
  }
  if (r->version != 2 && r->version != 3) return reject(r, "a version other than 2 or 3");
  if (!take_u64(&r->in, &r->tensor_count) || !take_u64(&r->in, &r->metadata_count))
    return reject(r, "the file ends inside the header");
  // The smallest pair is 14 bytes: a length, one letter, a type, one byte.  The smallest
  // tensor info is 24: a length, no name, rank 0, type, offset.
  if (r->metadata_count > bytes_left(&r->in) / 14 || r->tensor_count > bytes_left(&r->in) / 24)
    return reject(r, "more entries than the file can hold");
  return true;
}

static bool read_file(reader* r) {
  if (!read_header(r)) return false;
  for (uint64_t i = 0; i < r->metadata_count; i++)
    if (!read_key_value(r)) return false;
  r->sink->header(r->sink->context, r->version, r->in.big_endian, r->alignment);
  return read_tensors(r);
}

gcts_status template_read(const gcts_read_request* request, const gcts_sink* sink) {
  reader r = {
      .in = {.data = request->data, .size = request->size},
      .sink = sink,
      .with_data = request->stage == GCTS_STAGE_DATA,
      .alignment = DEFAULT_ALIGNMENT,
  };
  if (!request->data) {
    sink->message(sink->context, "this reader takes files in memory only");
    return GCTS_UNSUPPORTED;
  }
  if (read_file(&r)) return GCTS_OK;
  return r.unsupported ? GCTS_UNSUPPORTED : GCTS_REJECTED;
}
