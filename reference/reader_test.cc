// What the reader returns, and that it is total: any bytes, from a map or in chunks.

#include "reference/reader.h"

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "reference/faults_for_test.h"
#include "reference/writer.h"

namespace gcts {
namespace {

const Profile& ggml() {
  static const Profile profile = Profile::builtin(BuiltinProfile::ggml);
  return profile;
}

// The sound model with a value of every type.
File rich_model() {
  File file = sound_model();
  file.metadata.push_back({"v.u8", Value::u8(255)});
  file.metadata.push_back({"v.i8", Value::i8(-128)});
  file.metadata.push_back({"v.u16", Value::u16(65535)});
  file.metadata.push_back({"v.i16", Value::i16(-2)});
  file.metadata.push_back({"v.u32", Value::u32(0xfedcba98)});
  file.metadata.push_back({"v.i32", Value::i32(-3)});
  file.metadata.push_back({"v.f32", Value::scalar(ValueType::float32, 0x7fc00001)});
  file.metadata.push_back({"v.bool", Value::boolean(true)});
  file.metadata.push_back({"v.text", Value::string(std::string("x\0y", 3))});
  file.metadata.push_back({"v.u64", Value::u64((uint64_t{1} << 53) + 1)});
  file.metadata.push_back({"v.i64", Value::i64(INT64_MIN)});
  file.metadata.push_back({"v.f64", Value::f64(-0.0)});
  file.metadata.push_back({"v.words", Value::strings({"a", "", " b"})});
  file.metadata.push_back({"v.none", Value::array(ValueType::float64, {})});
  file.metadata.push_back(
      {"v.nested", Value::array(ValueType::array, {Value::array(ValueType::int16, {Value::i16(-1), Value::i16(2)}),
                                                   Value::strings({"q"}), Value::array(ValueType::array, {})})});
  return file;
}

uint64_t below(std::mt19937_64& random, uint64_t bound) { return random() % bound; }

// The same findings and contents from a map and from chunks.
void compare_sources(const Bytes& bytes, size_t chunk) {
  const Reading mapped = read(bytes);
  const Reading streamed = read(chunks_of(bytes, chunk));
  BOOST_TEST(describe(streamed.findings) == describe(mapped.findings));
  BOOST_TEST(streamed.complete == mapped.complete);
  BOOST_TEST(streamed.file_size == mapped.file_size);
  BOOST_TEST(streamed.metadata.size() == mapped.metadata.size());
  BOOST_TEST(streamed.tensors.size() == mapped.tensors.size());
  for (size_t i = 0; i < std::min(streamed.metadata.size(), mapped.metadata.size()); ++i) {
    const KeyValueView &a = streamed.metadata[i], &b = mapped.metadata[i];
    BOOST_TEST((a.key == b.key && a.offset == b.offset && a.value.offset == b.value.offset));
    BOOST_TEST(std::equal(a.value.bytes.begin(), a.value.bytes.end(), b.value.bytes.begin(), b.value.bytes.end()));
  }
}

Bytes load_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Bytes bytes(text.size());
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(bytes.data()));
  return bytes;
}

// An array nested `depth` deep, as bytes: a u8 in the innermost.
Bytes deep_model(uint64_t depth) {
  File file;
  file.set("general.architecture", Value::string("test"));
  file.set("x.deep", Value::array(ValueType::array, {}));
  Written w = write(file);
  w.patch(*w.find(FieldKind::element_count, 1), 1);
  const auto number = [&](uint64_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) w.bytes.push_back(static_cast<std::byte>(v >> (8 * i)));
  };
  for (uint64_t i = 2; i < depth; ++i) {
    number(static_cast<uint32_t>(ValueType::array), 4);
    number(1, 8);
  }
  number(static_cast<uint32_t>(ValueType::uint8), 4);
  number(1, 8);
  number(7, 1);
  return w.bytes;
}

class DepthVisitor : public ValueVisitor {
 public:
  void scalars(ValueType, uint64_t count, std::span<const std::byte>, Layout) override { scalars_ += count; }
  void string(std::string_view) override {}
  void array_begin(ValueType, uint64_t) override { deepest = std::max(deepest, ++depth_); }
  void array_end() override { --depth_; }
  uint64_t deepest = 0;
  uint64_t open() const { return depth_; }
  uint64_t scalars_seen() const { return scalars_; }

 private:
  uint64_t depth_ = 0, scalars_ = 0;
};

BOOST_AUTO_TEST_SUITE(reading)

BOOST_AUTO_TEST_CASE(everything_written_is_read_back) {
  for (const Layout layout : {Layout{3, ByteOrder::little}, Layout{2, ByteOrder::little}, Layout{3, ByteOrder::big},
                              Layout{1, ByteOrder::little}}) {
    File file = rich_model();
    file.layout = layout;
    const Bytes bytes = write_bytes(file);
    const Reading reading = read(bytes);
    BOOST_TEST(reading.complete);
    BOOST_TEST((reading.layout == layout));
    File copy = to_file(reading);
    BOOST_TEST((copy.metadata == file.metadata));
    BOOST_TEST((write_bytes(copy) == bytes));
    BOOST_TEST(reading.find_tensor("b")->data.size() == 16u);
    BOOST_TEST(reading.find_tensor("c") == nullptr);
  }
}

BOOST_AUTO_TEST_CASE(views_of_values) {
  const Bytes bytes = write_bytes(rich_model());
  const Reading reading = read(bytes);
  const auto value = [&](std::string_view key) { return reading.find(key)->value; };
  BOOST_TEST(value("v.u32").bits() == 0xfedcba98u);
  BOOST_TEST(*value("v.u32").as_unsigned() == 0xfedcba98u);
  BOOST_TEST(!value("v.i8").as_unsigned().has_value());
  BOOST_TEST(!value("v.i64").as_unsigned().has_value());
  BOOST_TEST(!value("v.f32").as_unsigned().has_value());
  BOOST_TEST(!value("v.text").as_unsigned().has_value());
  BOOST_TEST(*value("v.bool").as_unsigned() == 1u);
  BOOST_TEST(value("v.i8").bits() == 0x80u);
  BOOST_TEST(value("v.f64").bits() == uint64_t{1} << 63);
  BOOST_TEST(value("v.text").text().size() == 3u);
  BOOST_TEST(value("v.text").count == 3u);
  BOOST_TEST(value("v.words").text().empty());
  BOOST_TEST(value("v.words").count == 3u);
  BOOST_TEST(value("v.words").bits() == 0u);
  BOOST_TEST((value("v.none").element_type == ValueType::float64));
  BOOST_TEST(reading.find("v.nothing") == nullptr);
}

BOOST_AUTO_TEST_CASE(alignment_and_positions) {
  File file = sound_model();
  file.set("general.alignment", Value::u32(64));
  const Written w = write(file);
  const Reading reading = read(w.bytes);
  BOOST_TEST(reading.alignment == 64u);
  BOOST_TEST(reading.data_start == w.find(FieldKind::tensor_data)->offset);
  BOOST_TEST(reading.metadata_end == w.find(FieldKind::tensor_offset, 1)->offset + 8);
  BOOST_TEST(reading.file_size == w.bytes.size());
  BOOST_TEST(reading.tensors[1].info_offset == w.find(FieldKind::name_length, 1)->offset);
  BOOST_TEST(reading.metadata[2].value.offset == w.find(FieldKind::scalar, 2)->offset);
  BOOST_TEST(reading.metadata[2].offset == w.find(FieldKind::key_length, 2)->offset);
}

BOOST_AUTO_TEST_CASE(findings_name_the_offset_of_the_field) {
  Written w = write(sound_model());
  const Field offset = *w.find(FieldKind::tensor_offset, 1);
  w.patch(offset, 33);
  BOOST_TEST(read(w.bytes).findings.all().front().offset == offset.offset);
  w = write(sound_model());
  const Field type = *w.find(FieldKind::value_type, 1);
  w.patch(type, 13);
  BOOST_TEST(read(w.bytes).findings.all().front().offset == type.offset);
}

BOOST_AUTO_TEST_CASE(a_version_too_new_says_what_to_do) {
  Written w = write(sound_model());
  w.patch(*w.find(FieldKind::version), 4);
  const std::string message = read(w.bytes).findings.all().front().message;
  BOOST_TEST(message.find("version is 4") != message.npos);
  BOOST_TEST(message.find("newer") != message.npos);
}

BOOST_AUTO_TEST_CASE(other_formats_are_named) {
  Bytes zip(100);
  std::copy_n("PK\3\4", 4, reinterpret_cast<char*>(zip.data()));
  const std::string message = read(zip).findings.all().front().message;
  BOOST_TEST(message.find("zip") != message.npos);
}

BOOST_AUTO_TEST_CASE(the_metadata_stage_leaves_the_data_alone) {
  const Written w = write(sound_model());
  const Bytes head(w.bytes.begin(), w.bytes.begin() + static_cast<std::ptrdiff_t>(w.find(FieldKind::tensor_data)->offset));
  BOOST_TEST(read(head, {Stage::metadata, true}).findings.empty());
  BOOST_TEST(read(head).findings.has(rule::metadata_only));
}

BOOST_AUTO_TEST_CASE(the_metadata_stage_of_a_stream_stops_early) {
  File file = sound_model();
  file.tensors[0].dims = {1 << 20};
  file.tensors[0].data.resize(4 << 20);
  const Bytes bytes = write_bytes(file);
  uint64_t delivered = 0;
  const ChunkSource inner = chunks_of(bytes, 4096);
  const Reading reading = read(
      [&](std::byte* buffer, size_t size) {
        const size_t n = inner(buffer, size);
        delivered += n;
        return n;
      },
      {Stage::metadata, true});
  BOOST_TEST(reading.complete);
  BOOST_TEST(delivered <= uint64_t{1} << 16);
}

BOOST_AUTO_TEST_CASE(without_lint_only_musts_are_reported) {
  File file = sound_model();
  file.metadata.erase(file.metadata.begin());
  const Bytes bytes = write_bytes(file);
  BOOST_TEST(read(bytes).findings.has(rule::architecture_present));
  BOOST_TEST(read(bytes, {Stage::data, false}).findings.empty());
}

BOOST_AUTO_TEST_CASE(padding_is_seen_in_streams_of_any_chunk) {
  Written w = write(sound_model());
  w.bytes[w.find(FieldKind::padding, 1, 1)->offset + 3] = std::byte{1};
  w.bytes[w.find(FieldKind::tensor_data)->offset - 2] = std::byte{1};
  for (const size_t chunk : {1, 2, 3, 5, 64, 4096}) {
    const Reading reading = read(chunks_of(w.bytes, chunk));
    BOOST_TEST(reading.findings.has(rule::padding_before_data_zero));
    BOOST_TEST(reading.findings.has(rule::tensor_padding_zero));
    compare_sources(w.bytes, chunk);
  }
}

BOOST_AUTO_TEST_CASE(views_survive_the_growth_of_a_streams_buffer) {
  File file = sound_model();
  file.set("general.alignment", Value::u32(64));
  for (int i = 0; i < 50; ++i) file.set("x.text" + std::to_string(i), Value::string(std::string(10'000, 'a')));
  const Bytes bytes = write_bytes(file);
  const Reading reading = read(chunks_of(bytes, 5000));
  BOOST_TEST(reading.alignment == 64u);
  BOOST_TEST(describe(reading.findings) == "");
  BOOST_TEST(*reading.find("general.alignment")->value.as_unsigned() == 64u);
  compare_sources(bytes, 777);
}

BOOST_AUTO_TEST_CASE(arrays_nested_deeply_cost_no_stack) {
  for (const uint64_t depth : {uint64_t{3}, uint64_t{64}, uint64_t{1'000'000}}) {
    const Bytes bytes = deep_model(depth);
    const Reading reading = read(bytes);
    BOOST_TEST(reading.complete);
    BOOST_TEST(reading.findings.count(rule::nested_array) == 1u);
    DepthVisitor visitor;
    visit(reading.metadata[1].value, visitor);
    BOOST_TEST(visitor.deepest == depth);
    BOOST_TEST(visitor.open() == 0u);
    BOOST_TEST(visitor.scalars_seen() == 1u);
  }
  Bytes cut = deep_model(1000);
  cut.resize(cut.size() - 30);
  BOOST_TEST(read(cut).findings.has(rule::array_fits_file));
}

BOOST_AUTO_TEST_CASE(a_callback_that_lies_about_its_count_is_held_to_the_buffer) {
  const Bytes bytes = write_bytes(sound_model());
  size_t position = 0;
  const Reading reading = read([&](std::byte* buffer, size_t size) {
    const size_t n = std::min(size, bytes.size() - position);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(position), n, buffer);
    position += n;
    return n == 0 ? 0 : size + 1000;
  });
  BOOST_TEST(reading.complete);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(totality)

BOOST_AUTO_TEST_CASE(every_truncation_has_a_reason) {
  for (const Layout layout : {Layout{3, ByteOrder::little}, Layout{3, ByteOrder::big}, Layout{1, ByteOrder::little}}) {
    File file = rich_model();
    file.layout = layout;
    const Bytes whole = write_bytes(file);
    for (size_t size = 0; size < whole.size(); ++size) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      BOOST_TEST((judge(read(cut).findings, ggml()) == Verdict::invalid), "cut at " << size);
      compare_sources(cut, 61);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_change_of_one_byte_is_survived) {
  const Bytes whole = write_bytes(rich_model());
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      Bytes changed = whole;
      changed[i] = static_cast<std::byte>(value);
      compare_sources(changed, 97);
    }
  }
}

BOOST_AUTO_TEST_CASE(random_bytes_are_survived) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 5000; ++round) {
    Bytes bytes(below(random, 300));
    for (std::byte& b : bytes) b = static_cast<std::byte>(below(random, 4) == 0 ? random() : below(random, 13));
    if (bytes.size() >= 8 && below(random, 8) != 0) {
      std::copy_n("GGUF\3\0\0\0", 8, reinterpret_cast<char*>(bytes.data()));
      for (size_t i = 9; i < std::min<size_t>(bytes.size(), 24); ++i)
        if (i != 16) bytes[i] = std::byte{0};
    }
    compare_sources(bytes, 1 + below(random, 64));
  }
}

BOOST_AUTO_TEST_CASE(spliced_models_are_survived) {
  std::mt19937_64 random(2);
  std::vector<Fault> all = faults();
  for (int round = 0; round < 3000; ++round) {
    const Bytes& head = all[below(random, all.size())].bytes;
    const Bytes& tail = all[below(random, all.size())].bytes;
    if (head.size() > 4096 || tail.size() > 4096) continue;
    Bytes bytes(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(below(random, head.size() + 1)));
    const size_t from = below(random, tail.size() + 1);
    bytes.insert(bytes.end(), tail.begin() + static_cast<std::ptrdiff_t>(from), tail.end());
    compare_sources(bytes, 1 + below(random, 64));
  }
}

BOOST_AUTO_TEST_CASE(claims_do_not_buy_memory) {
  // A stream whose string claims 2^40 bytes: the buffer follows what arrives.
  Written w = write(sound_model());
  w.patch(*w.find(FieldKind::string_length), uint64_t{1} << 40);
  const Reading reading = read(chunks_of(w.bytes, 10));
  BOOST_TEST(reading.storage->capacity() <= std::max<size_t>(2 * w.bytes.size(), 1 << 16));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(published_files)

std::vector<std::filesystem::path> published() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(GCTS_SOURCE_DIR) / "../shared/spec/real";
  if (!std::filesystem::is_directory(folder)) {
    BOOST_TEST_MESSAGE("skipped: " << folder << " is not there");
    return files;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".gguf") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

BOOST_AUTO_TEST_CASE(they_are_valid) {
  for (const auto& path : published()) {
    const Bytes bytes = load_file(path);
    const Reading reading = read(bytes);
    BOOST_TEST_CONTEXT(path.filename().string()) {
      BOOST_TEST((judge(reading.findings, ggml()) == Verdict::valid), describe(reading.findings));
      const Profile spec = Profile::builtin(BuiltinProfile::spec);
      BOOST_TEST((judge(reading.findings, spec) == Verdict::valid), describe(reading.findings));
      BOOST_TEST(reading.complete);
      BOOST_TEST(reading.tensors.empty());
      BOOST_TEST(reading.find("tokenizer.ggml.tokens") != nullptr);
      BOOST_TEST((write_bytes(to_file(reading)) == bytes));
      BOOST_TEST(describe(read(chunks_of(bytes, 65536)).findings) == describe(reading.findings));
      BOOST_TEST_MESSAGE(path.filename().string() << "\n" << describe(reading.findings));
    }
  }
}

BOOST_AUTO_TEST_CASE(they_can_be_cut_and_changed) {
  std::mt19937_64 random(3);
  for (const auto& path : published()) {
    const Bytes whole = load_file(path);
    for (int i = 0; i < 100; ++i) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(below(random, whole.size())));
      BOOST_TEST((judge(read(cut, {Stage::data, false}).findings, ggml()) == Verdict::invalid));
    }
    Bytes changed = whole;
    for (int i = 0; i < 200; ++i) {
      // Most changes within the first pairs, where every field is near.
      const size_t at = below(random, i % 2 == 0 ? std::min<size_t>(whole.size(), 2048) : whole.size());
      changed[at] = static_cast<std::byte>(random());
      const Reading reading = read(changed, {Stage::data, false});
      BOOST_TEST((reading.complete || !reading.findings.empty()));
      changed[at] = whole[at];
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
