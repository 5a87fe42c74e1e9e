// Recipes for arrays in the metadata.

#include "corpus/models.h"
#include "corpus/recipe.h"

namespace gcts {
namespace {

constexpr std::string_view kKey = "gcts.list";
constexpr uint32_t kItem = 1;  // the pair that with() adds

File list(Value v) { return with(kKey, std::move(v)); }

// The array, then a pair that a wrong size would hit.
File list_then_pair(Value v) {
  File file = list(std::move(v));
  file.set("gcts.after", Value::string("after"));
  return file;
}

// `count` elements of a type, all different.
Value elements(ValueType type, uint64_t count) {
  std::vector<Value> values;
  for (uint64_t i = 0; i < count; ++i) {
    if (type == ValueType::string)
      values.push_back(Value::string("s" + std::to_string(i)));
    else
      values.push_back(Value::scalar(type, type == ValueType::boolean ? i % 2 : i + 1));
  }
  return Value::array(type, std::move(values));
}

Value bytes(uint64_t count) { return elements(ValueType::uint8, count); }

Value arrays(std::vector<Value> values) { return Value::array(ValueType::array, std::move(values)); }

Fault count(uint64_t value) {
  return [value](Written& w) { patch(w, FieldKind::element_count, kItem, value); };
}

Fault element_type(uint64_t id) {
  return [id](Written& w) { patch(w, FieldKind::element_type, kItem, id); };
}

Fault replaced(Value value) {
  return [value](File& f) { f.metadata[kItem].value = value; };
}

// The bytes of a file whose pair kKey is an array of zeros, of any length, without a
// Value for each element.
Bytes zeros(ValueType type, uint64_t count, uint64_t bytes_each) {
  Written w = write(list(Value::array(type, {})));
  patch(w, FieldKind::element_count, kItem, count);
  w.bytes.resize(w.bytes.size() + count * bytes_each);
  return w.bytes;
}

// depth arrays around one u8, as bytes: deep nesting needs no deep model.
Bytes nested_bytes(uint64_t depth) {
  const Written w = write(list(Value::array(ValueType::array, {})));
  const Field& type = field(w, FieldKind::element_type, kItem);
  Bytes bytes(w.bytes.begin(), w.bytes.begin() + static_cast<ptrdiff_t>(type.offset));
  const auto put = [&](uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
  };
  bytes.reserve(bytes.size() + depth * 12 + 1);
  for (uint64_t i = 0; i < depth; ++i) {
    put(static_cast<uint32_t>(i + 1 < depth ? ValueType::array : ValueType::uint8), 4);
    put(1, 8);
  }
  put(1, 1);
  return bytes;
}

}  // namespace

RECIPE(array_layout) {
  for (uint32_t id = 0; id < kValueTypeCount; ++id) {
    const auto type = static_cast<ValueType>(id);
    if (type == ValueType::array) continue;
    const std::string name(value_type_name(type));
    r.valid(name + "_one", list_then_pair(elements(type, 1)), "one element, then another pair");
    r.valid(name + "_three", list_then_pair(elements(type, 3)), "three elements, then another pair");
  }
}

RECIPE(empty_array) {
  for (uint32_t id = 0; id < kValueTypeCount; ++id) {
    const auto type = static_cast<ValueType>(id);
    if (type == ValueType::array) continue;
    r.valid(value_type_name(type), list_then_pair(Value::array(type, {})),
            "an empty array keeps its element type");
  }
  r.valid("at_the_end", list(Value::array(ValueType::string, {})), "an empty array ends the file");
}

RECIPE(array_element_type_known) {
  r.valid("empty", list(Value::array(ValueType::float64, {})), "an empty array of the last type");
  r.valid("one", list(elements(ValueType::float64, 1)), "one element of the last type");
  r.broken("empty_13", "empty", "readers that loop over no elements never look at the type",
           element_type(13));
  r.broken("empty_all_ones", "empty", "-1 when read as a signed number", element_type(0xffffffff));
  r.broken("one_13", "one", "the first id that is not assigned", element_type(13));
  r.broken("one_99", "one", "an id far from all others", element_type(99));
  r.broken("one_256_more", "one", "its low byte is a sound id", element_type(256 + 12));
}

RECIPE(nested_array) {
  r.valid("flat", list_then_pair(bytes(3)), "the neighbour that is loaded everywhere");
  r.broken("two_rows", "flat", "readers flatten it to three elements",
           replaced(arrays({bytes(2), bytes(1)})));
  r.broken("one_row", "flat", "an array that holds one array", replaced(arrays({bytes(3)})));
  r.broken("empty_rows", "flat", "an array of empty arrays", replaced(arrays({bytes(0), bytes(0)})));
  r.broken("empty_outer", "flat", "an empty array whose elements would be arrays", replaced(arrays({})));
  r.broken("strings", "flat", "pairs of strings, as a list of merges might be kept",
           replaced(arrays({Value::strings({"a", "b"}), Value::strings({"c", "d"})})));
}

RECIPE(nested_array_types) {
  r.valid("same", list_then_pair(arrays({bytes(2), bytes(1)})), "inner arrays of one type")
      .breaks(rule::nested_array);
  r.valid("numbers_and_strings", list_then_pair(arrays({bytes(2), Value::strings({"q"})})),
          "a reader that takes the first inner type for all gives 113")
      .breaks(rule::nested_array);
  r.valid("widths",
          list_then_pair(arrays({bytes(3), elements(ValueType::uint64, 2), elements(ValueType::float32, 1)})),
          "inner arrays of different widths")
      .breaks(rule::nested_array);
  r.valid("depths", list_then_pair(arrays({bytes(1), arrays({bytes(2)}), bytes(1)})),
          "inner arrays of different depths")
      .breaks(rule::nested_array);
}

RECIPE(nesting_unbounded) {
  r.family("deeper", "readers that recurse run out of stack", 200'000, nested_bytes)
      .breaks(rule::nested_array);
  r.family("deeper_and_cut",
           "the innermost array is missing: a reader that gives up late has gone all the way down", 200'000,
           [](uint64_t n) {
             Bytes bytes = nested_bytes(n);
             bytes.resize(bytes.size() - 13);
             return bytes;
           })
      .breaks(rule::array_fits_file);
}

RECIPE(nesting_moderate) {
  for (const uint32_t depth : {2, 3, 4, 5, 16, 63})
    r.valid("depth_" + std::to_string(depth), list_then_pair(nested(depth)),
            "readers with a limit on nesting stop somewhere here")
        .breaks(rule::nested_array)
        .tag("limit:depth=" + std::to_string(depth));
  for (const uint32_t depth : {64, 65, 256})
    r.valid("depth_" + std::to_string(depth), list_then_pair(nested(depth)),
            "at or above the limit of 64 that one reader documents")
        .breaks(rule::nested_array)
        .tag("limit:depth=" + std::to_string(depth))
        .either("limit");
}

RECIPE(array_fits_file) {
  r.valid("bytes", list(bytes(3)), "an array of three bytes ends the file");
  r.valid("words", list(elements(ValueType::string, 3)), "an array of three strings ends the file");
  r.valid("longs", list(elements(ValueType::uint64, 3)), "an array of three uint64 ends the file");
  r.broken("bytes_one_more", "bytes", "one element more than there is", count(4));
  r.broken("bytes_two_to_40", "bytes", "a reader that allocates first takes a terabyte",
           count(uint64_t{1} << 40));
  r.broken("bytes_two_to_63", "bytes", "negative as an int64", count(uint64_t{1} << 63));
  r.broken("bytes_all_ones", "bytes", "-1 as an int64", count(~uint64_t{0}));
  r.broken("longs_one_more", "longs", "eight bytes more than there are", count(4));
  r.broken("longs_cut", "longs", "the last element is cut in half",
           [](Written& w) { cut(w, w.bytes.size() - 4); });
  r.broken("words_two_to_40", "words",
           "a reader that allocates first takes 32 bytes for each of a trillion strings",
           count(uint64_t{1} << 40));
  r.broken("count_cut", "bytes", "the file ends inside the count",
           [](Written& w) { cut(w, field(w, FieldKind::element_count, kItem).offset + 3); });
  r.broken("type_cut", "bytes", "the file ends inside the element type",
           [](Written& w) { cut(w, field(w, FieldKind::element_type, kItem).offset + 2); });
}

RECIPE(array_size_representable) {
  r.valid("u64", list(elements(ValueType::uint64, 2)), "two uint64");
  r.valid("u16", list(elements(ValueType::uint16, 2)), "two uint16");
  r.broken("u64_two_to_61", "u64", "count times 8 wraps to 0", count(uint64_t{1} << 61));
  r.broken("u64_two_to_61_more", "u64", "count times 8 wraps to 16, the bytes that are there",
           count((uint64_t{1} << 61) + 2));
  r.broken("u64_all_ones", "u64", "count times 8 wraps to -8", count(~uint64_t{0}));
  r.broken("u16_two_to_63", "u16", "count times 2 wraps to 0", count(uint64_t{1} << 63));
  r.broken("u16_two_to_63_more", "u16", "count times 2 wraps to 4, the bytes that are there",
           count((uint64_t{1} << 63) + 2));
}

RECIPE(array_allocation_bounded) {
  r.family("claimed_bytes", "a count that the file cannot hold must not be allocated", 1'000'000,
           [](uint64_t n) {
             Written w = write(list(bytes(1)));
             patch(w, FieldKind::element_count, kItem, n * 1000);
             return w.bytes;
           })
      .breaks(rule::array_fits_file);
  r.family("claimed_strings", "each of the strings that are claimed would take an object", 1'000'000,
           [](uint64_t n) {
             Written w = write(list(elements(ValueType::string, 1)));
             patch(w, FieldKind::element_count, kItem, n * 16);
             return w.bytes;
           })
      .breaks(rule::array_fits_file);
  r.family("claimed_tensors", "tensor infos are claimed up to the size of the file", 1'000'000,
           [](uint64_t n) {
             Written w = write(list(Value::array(ValueType::uint8, {})));
             patch(w, FieldKind::element_count, kItem, n);
             w.bytes.resize(w.bytes.size() + n);
             patch(w, FieldKind::tensor_count, 0, n);
             return w.bytes;
           })
      .breaks(rule::tensor_info_complete);
}

RECIPE(long_array) {
  struct Row {
    std::string_view suffix;
    uint64_t count;
    bool limit;
  };
  constexpr Row kRows[] = {
      {"65536", 65'536, false}, {"one_million", 1'000'000, false}, {"one_million_and_one", 1'000'001, true}};
  for (const Row& row : kRows) {
    Draft& draft = r.bytes(row.suffix, "readers with a limit on arrays stop somewhere here",
                           [count = row.count] { return zeros(ValueType::uint8, count, 1); });
    draft.tag("limit:array=" + std::to_string(row.count));
    if (row.count >= 1'000'000) draft.large();
    if (row.limit) draft.either("limit");
  }
  r.bytes("one_million_strings", "a million empty tokens",
          [] { return zeros(ValueType::string, 1'000'000, 8); })
      .large()
      .tag("limit:array=1000000");
}

RECIPE(array_count_is_elements) {
  r.valid("u16", list_then_pair(elements(ValueType::uint16, 3)),
          "a count in bytes would end inside the second element");
  r.valid("u64", list_then_pair(elements(ValueType::uint64, 2)),
          "a count in bytes would end inside the first element");
  r.valid("strings", list_then_pair(elements(ValueType::string, 5)),
          "a count in bytes has no meaning for strings");
}

RECIPE(bool_array_zero_or_one) {
  r.valid("both",
          list(Value::array(ValueType::boolean,
                            {Value::boolean(false), Value::boolean(true), Value::boolean(true)})),
          "both values");
  const auto element = [](uint64_t index, uint8_t byte) {
    return [index, byte](File& f) { f.metadata[kItem].value.elements[index].bits = byte; };
  };
  r.broken("last_is_two", "both", "the last element is 2", element(2, 2));
  r.broken("first_is_two", "both", "the first element is 2", element(0, 2));
  r.broken("middle_is_255", "both", "an element is -1 as an int8", element(1, 255));
}

RECIPE(string_array_layout) {
  r.valid("with_empty", list_then_pair(Value::strings({"a", "", " b"})),
          "an empty element and one with a leading space, then another pair");
  r.valid("lengths", list_then_pair(Value::strings({std::string(300, 'x'), "y", std::string(70'000, 'z')})),
          "elements of very different lengths");
  r.valid("one_letter", list_then_pair(Value::strings({"a", "b", "c", "d", "e", "f", "g"})),
          "nine bytes an element");
}

RECIPE(array_memory_per_element) {
  r.family("bytes", "a reader that makes an object of each byte takes hundreds of times the file", 2'000'000,
           [](uint64_t n) { return zeros(ValueType::uint8, n, 1); });
  r.family("empty_strings", "eight bytes each in the file", 200'000,
           [](uint64_t n) { return zeros(ValueType::string, n, 8); });
}

}  // namespace gcts
