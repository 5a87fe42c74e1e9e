// Checks of the functions that set and remove pairs.

#include <string.h>

#include "check.h"

namespace peer {
namespace {

std::string keys(Check& c, const Gguf* g) {
  std::string out;
  for (int64_t i = 0; i < c.api.gguf_get_n_kv(g); ++i) out += std::string(i ? " " : "") + c.api.gguf_get_key(g, i);
  return out;
}

// A context with the keys a, b and c.
Gguf* three(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  c.api.gguf_set_val_u32(g, "a", 1);
  c.api.gguf_set_val_str(g, "b", "two");
  c.api.gguf_set_val_u32(g, "c", 3);
  return g;
}

constexpr const char* kAlignment = "general.alignment";

}  // namespace

void check_set_every_type(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
#define TYPES(X)                                                                                               \
  X(u8, uint8_t, 200) X(i8, int8_t, -100) X(u16, uint16_t, 60000) X(i16, int16_t, -30000)                      \
  X(u32, uint32_t, 4000000000u) X(i32, int32_t, -2000000000) X(f32, float, 0.1f) X(u64, uint64_t, UINT64_MAX) \
  X(i64, int64_t, INT64_MIN) X(f64, double, 0.1) X(bool, bool, true)
#define SET(name, type, value) c.api.gguf_set_val_##name(g, #name, value);
#define GET(name, type, value) \
  c.expect(c.api.gguf_get_val_##name(g, c.api.gguf_find_key(g, #name)) == static_cast<type>(value), "a " #name " comes back as something else");
  TYPES(SET)
  c.api.gguf_set_val_str(g, "str", "text");
  TYPES(GET)
#undef GET
#undef SET
#undef TYPES
  c.expect_text("the string", c.api.gguf_get_val_str(g, c.api.gguf_find_key(g, "str")), "text");
  c.expect_equal("the number of pairs", c.api.gguf_get_n_kv(g), 12);
}

void check_set_moves_to_back(Check& c) {
  Gguf* g = three(c);
  c.api.gguf_set_val_u32(g, "a", 9);
  c.expect_text("the order", keys(c, g).c_str(), "b c a");
  c.expect_equal("the value", c.api.gguf_get_val_u32(g, 2), 9);
}

void check_set_empty_key(Check& c) { c.api.gguf_set_val_u32(c.api.gguf_init_empty(), "", 1); }

void check_set_str_of_itself(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  const std::string text(200, 't');  // too long for a string that lies in its object
  c.api.gguf_set_val_str(g, "k", text.c_str());
  c.api.gguf_set_val_str(g, "k", c.api.gguf_get_val_str(g, 0));
  c.expect(text == c.api.gguf_get_val_str(g, 0), "the string is lost");
}

void check_remove_key(Check& c) {
  Gguf* g = three(c);
  c.expect_equal("the id of b", c.api.gguf_remove_key(g, "b"), 1);
  c.expect_text("what is left", keys(c, g).c_str(), "a c");
  c.expect_equal("the id of c", c.api.gguf_find_key(g, "c"), 1);
}

void check_remove_key_miss(Check& c) {
  Gguf* g = three(c);
  c.expect_equal("the id of d", c.api.gguf_remove_key(g, "d"), -1);
  c.expect_text("what is left", keys(c, g).c_str(), "a b c");
}

void check_set_arr_empty(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  c.api.gguf_set_arr_data(g, "k", GCTS_FLOAT32, nullptr, 0);
  c.expect_equal("the count", c.api.gguf_get_arr_n(g, 0), 0);
  c.expect_equal("the element type", c.api.gguf_get_arr_type(g, 0), GCTS_FLOAT32);
}

void check_set_arr_data_strings(Check& c) { c.api.gguf_set_arr_data(c.api.gguf_init_empty(), "k", GCTS_STRING, "abcdefgh", 1); }
void check_set_arr_data_arrays(Check& c) { c.api.gguf_set_arr_data(c.api.gguf_init_empty(), "k", GCTS_ARRAY, "abcdefgh", 1); }
void check_set_arr_data_unknown(Check& c) { c.api.gguf_set_arr_data(c.api.gguf_init_empty(), "k", 13, "abcdefgh", 1); }

void check_set_arr_copies(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  int16_t numbers[2] = {5, -6};
  char word[] = "word";
  const char* words[] = {word, "bc"};
  c.api.gguf_set_arr_data(g, "numbers", GCTS_INT16, numbers, 2);
  c.api.gguf_set_arr_str(g, "words", words, 2);
  numbers[0] = 0;
  word[0] = 'x';
  int16_t kept[2];
  memcpy(kept, c.api.gguf_get_arr_data(g, 0), sizeof(kept));
  c.expect_equal("the first number", kept[0], 5);
  c.expect_text("the first word", c.api.gguf_get_arr_str(g, 1, 0), "word");
}

void check_set_kv_adds(Check& c) {
  Gguf* g = three(c);
  Gguf* from = c.api.gguf_init_empty();
  c.api.gguf_set_val_u32(from, "b", 2);
  c.api.gguf_set_val_u32(from, "d", 4);
  c.api.gguf_set_kv(g, from);
  c.expect_text("the keys", keys(c, g).c_str(), "a c b d");
  c.expect_equal("b", c.api.gguf_get_val_u32(g, 2), 2);
}

void check_set_kv_itself(Check& c) {
  Gguf* g = three(c);
  c.api.gguf_set_kv(g, g);
  c.expect_text("the keys", keys(c, g).c_str(), "a b c");
  c.expect_text("b", c.api.gguf_get_val_str(g, c.api.gguf_find_key(g, "b")), "two");
}

void check_alignment_of_u64(Check& c) { c.api.gguf_set_val_u64(c.api.gguf_init_empty(), kAlignment, 64); }
void check_alignment_24(Check& c) { c.api.gguf_set_val_u32(c.api.gguf_init_empty(), kAlignment, 24); }
void check_alignment_0(Check& c) { c.api.gguf_set_val_u32(c.api.gguf_init_empty(), kAlignment, 0); }
void check_alignment_array(Check& c) {
  const uint32_t alignment = 64;
  c.api.gguf_set_arr_data(c.api.gguf_init_empty(), kAlignment, GCTS_UINT32, &alignment, 1);
}

void check_alignment_takes_effect(Check& c) {
  Gguf* g = c.api.gguf_init_empty();
  c.api.gguf_set_val_u32(g, kAlignment, 64);
  c.expect_equal("the alignment", c.api.gguf_get_alignment(g), 64);
}

void check_alignment_reloads(Check& c) {
  Built b = build(c);
  c.api.gguf_set_val_u32(b.gguf, kAlignment, 4096);
  c.expect(open_bytes(c, written(c, b.gguf, false)), "a file written with an alignment of 4096 is refused");
}

void check_alignment_removed(Check& c) {
  Bytes file;
  file.header(3, 0, 1).text(kAlignment).put<uint32_t>(GCTS_UINT32).put<uint32_t>(64);
  Gguf* g = open_bytes(c, file.str());
  if (!g) return;
  c.api.gguf_remove_key(g, kAlignment);
  c.expect_equal("the alignment", c.api.gguf_get_alignment(g), 32);
}

}  // namespace peer
