// Checks of the functions that tell what a file holds.

#include <string.h>

#include "check.h"

namespace peer {
namespace {

// Opens the sample and hands it to `use`, which is to end by an abort or to return.
template <typename Use>
void with_sample(Check& c, Use use) {
  if (Gguf* g = open_sample(c)) use(g);
}

std::string one_pair(const std::string& key, const std::string& value) {
  Bytes b;
  b.header(3, 0, 1).text(key).put<uint32_t>(GCTS_STRING).text(value);
  return b.str();
}

}  // namespace

void check_data_offset_empty(Check& c) {
  const std::string bytes = one_pair("k", "value");
  Gguf* g = open_bytes(c, bytes);
  if (g) c.expect_equal("the data offset", c.api.gguf_get_data_offset(g), bytes.size());
}

void check_find_miss(Check& c) {
  with_sample(c, [&](Gguf* g) {
    c.expect_equal("the id of a key that is not there", c.api.gguf_find_key(g, "numbe"), -1);
    c.expect_equal("the id of a tensor that is not there", c.api.gguf_find_tensor(g, "third"), -1);
    c.expect_equal("the id of a key", c.api.gguf_find_key(g, "number"), Sample::kNumber);
    c.expect_equal("the id of a tensor", c.api.gguf_find_tensor(g, "second"), Sample::kSecond);
  });
}

void check_find_key_nul(Check& c) {
  const std::string key("a\0b", 3);
  Gguf* g = open_bytes(c, one_pair(key, "v"));
  if (g) c.expect_equal("the id of 'a', where there is 'a\\0b'", c.api.gguf_find_key(g, "a"), -1);
}

void check_val_str_nul(Check& c) {
  Gguf* g = open_bytes(c, one_pair("k", std::string("v\0w", 3)));
  if (g) c.expect(strlen(c.api.gguf_get_val_str(g, 0)) == 3, "of a string of 3 bytes 1 can be seen: the interface tells no length");
}

void check_get_key_negative(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_key(g, -1); }); }
void check_get_key_past_end(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_key(g, Sample::kPairs + 1); }); }
void check_kv_type_negative(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_kv_type(g, -1); }); }
void check_kv_type_past_end(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_kv_type(g, Sample::kPairs + 1); }); }
void check_arr_type_of_scalar(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_arr_type(g, Sample::kNumber); }); }
void check_val_of_wrong_type(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_val_u64(g, Sample::kNumber); }); }
void check_val_past_end(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_val_u32(g, Sample::kPairs + 1); }); }
void check_val_of_list(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_val_u16(g, Sample::kList); }); }
void check_val_str_of_number(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_val_str(g, Sample::kNumber); }); }
void check_val_data_of_string(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_val_data(g, Sample::kName); }); }
void check_arr_data_of_strings(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_arr_data(g, Sample::kWords); }); }
void check_arr_str_of_numbers(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_arr_str(g, Sample::kList, 0); }); }
void check_arr_str_past_end(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_arr_str(g, Sample::kWords, 2); }); }
void check_tensor_name_negative(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_tensor_name(g, -1); }); }
void check_tensor_name_past_end(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_tensor_name(g, Sample::kTensors); }); }
void check_tensor_offset_past_end(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_tensor_offset(g, Sample::kTensors); }); }
void check_tensor_type_past_end(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_tensor_type(g, Sample::kTensors); }); }
void check_tensor_size_past_end(Check& c) { with_sample(c, [&](Gguf* g) { c.api.gguf_get_tensor_size(g, Sample::kTensors); }); }

void check_val_of_one_element(Check& c) {
  with_sample(c, [&](Gguf* g) { c.expect_equal("the element", c.api.gguf_get_val_i32(g, Sample::kOne), -5); });
}

void check_val_data(Check& c) {
  with_sample(c, [&](Gguf* g) {
    uint32_t number = 0;
    memcpy(&number, c.api.gguf_get_val_data(g, Sample::kNumber), sizeof(number));
    c.expect_equal("the number", number, 7);
  });
}

void check_arr_n(Check& c) {
  with_sample(c, [&](Gguf* g) {
    c.expect_equal("the count of a list", c.api.gguf_get_arr_n(g, Sample::kList), 3);
    c.expect_equal("the count of strings", c.api.gguf_get_arr_n(g, Sample::kWords), 2);
    c.expect_equal("the count of an empty array", c.api.gguf_get_arr_n(g, Sample::kNone), 0);
    c.expect_equal("the count of a scalar", c.api.gguf_get_arr_n(g, Sample::kNumber), 1);
  });
}

void check_arr_data(Check& c) {
  with_sample(c, [&](Gguf* g) {
    uint16_t list[3] = {};
    memcpy(list, c.api.gguf_get_arr_data(g, Sample::kList), sizeof(list));
    for (uint16_t i = 0; i < 3; ++i) c.expect_equal("element " + std::to_string(i), list[i], i + 1);
  });
}

void check_arr_data_of_scalar(Check& c) {
  with_sample(c, [&](Gguf* g) {
    uint32_t number = 0;
    memcpy(&number, c.api.gguf_get_arr_data(g, Sample::kNumber), sizeof(number));
    c.expect_equal("the number", number, 7);
  });
}

void check_arr_str(Check& c) {
  with_sample(c, [&](Gguf* g) {
    c.expect_text("the first string", c.api.gguf_get_arr_str(g, Sample::kWords, 0), "a");
    c.expect_text("the second string", c.api.gguf_get_arr_str(g, Sample::kWords, 1), "bc");
    c.expect_text("the string itself", c.api.gguf_get_arr_str(g, Sample::kName, 0), "sample");
  });
}

void check_tensor_fields(Check& c) {
  with_sample(c, [&](Gguf* g) {
    c.expect_text("the name", c.api.gguf_get_tensor_name(g, Sample::kSecond), "second");
    c.expect_equal("the type", c.api.gguf_get_tensor_type(g, Sample::kSecond), 8);
    c.expect_equal("the size", c.api.gguf_get_tensor_size(g, Sample::kSecond), 34);
    c.expect_equal("the offset", c.api.gguf_get_tensor_offset(g, Sample::kSecond), sample().second_offset);
    if (!c.has(c.api.gguf_get_tensor_ne, "gguf_get_tensor_ne")) return;
    constexpr int64_t kDims[4] = {4, 2, 1, 1};
    for (int d = 0; d < 4; ++d) c.expect_equal("dimension " + std::to_string(d), c.api.gguf_get_tensor_ne(g, Sample::kFirst)[d], kDims[d]);
  });
}

}  // namespace peer
