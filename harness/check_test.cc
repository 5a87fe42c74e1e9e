// The verb check on published files, damaged files, streams and sets.

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "harness/mapped_file.h"
#include "harness/spawn_test.h"
#include "reference/codec.h"
#include "reference/finding.h"
#include "reference/reader.h"
#include "reference/tensor_type.h"
#include "reference/writer.h"

namespace gcts {
namespace {

using nlohmann::json;

json parsed(const std::string& text) { return json::parse(text, nullptr, false); }

bool has_rule(const json& line, std::string_view rule) {
  for (const json& finding : line["findings"]) {
    if (finding["rule"] == rule) return true;
  }
  return false;
}

BOOST_AUTO_TEST_SUITE(check_verb)

BOOST_AUTO_TEST_CASE(published_files_are_valid) {
  const auto files = real_files();
  if (files.empty()) BOOST_TEST_MESSAGE("skipped: the published files are not here");
  for (const std::string& file : files) {
    const Ran human = run_program({"check", file});
    BOOST_TEST(human.status == 0, file << ": " << human.out << human.err);
    const Ran machine = run_program({"check", "--json", file});
    BOOST_TEST(machine.status == 0);
    const json line = parsed(machine.out);
    BOOST_TEST(line["file"] == file);
    BOOST_TEST(line["verdict"] == "valid");
    BOOST_TEST(line["findings"].is_array());
  }
}

BOOST_AUTO_TEST_CASE(damaged_files_get_a_verdict_with_a_reason) {
  const Profile profile = Profile::builtin(BuiltinProfile::ggml);
  std::mt19937_64 random(1);
  for (const std::string& file : real_files()) {
    const Bytes whole = bytes_of_file(file);
    const Reading good = read(whole);
    const bool first = file == real_files().front();  // the smallest; every trial reads the whole file
    for (int i = 0; i < (first ? 100 : 20); ++i) {
      const size_t size = random() % good.metadata_end;
      const Reading reading = read(std::span(whole).first(size));
      BOOST_TEST((judge(reading.findings, profile) == Verdict::invalid), file << " cut at " << size);
      BOOST_TEST(!reading.findings.empty());
    }
    Bytes changed = whole;
    for (int i = 0; i < (first ? 1000 : 50); ++i) {
      const size_t at = i % 2 == 0 ? random() % good.metadata_end : random() % 2000;
      const std::byte old = changed[at];
      changed[at] = std::byte(random());
      const Reading reading = read(changed);
      const bool invalid = judge(reading.findings, profile) == Verdict::invalid;
      bool reason = false;
      for (const Finding& finding : reading.findings.all()) {
        reason = reason || (profile.severity(finding.rule) == Severity::must && !finding.message.empty());
      }
      BOOST_TEST(invalid == reason, file << " changed at " << at);
      BOOST_TEST((invalid || reading.complete), file << " changed at " << at);
      changed[at] = old;
    }
  }
}

BOOST_AUTO_TEST_CASE(the_program_survives_damaged_files) {
  const auto files = real_files();
  if (files.empty()) return;
  const ScratchFolder folder;
  const Bytes whole = bytes_of_file(files[0]);
  std::mt19937_64 random(2);
  for (int i = 0; i < 12; ++i) {
    Bytes damaged = whole;
    if (i % 2 == 0) damaged.resize(random() % damaged.size());
    else damaged[random() % 2000] = std::byte(random());
    const std::string path = folder.write("damaged.gguf", damaged);
    const Ran checked = run_program({"check", "--json", path});
    BOOST_TEST((checked.status == 0 || checked.status == 1), checked.status);
    const json line = parsed(checked.out);
    BOOST_REQUIRE(line.is_object());
    BOOST_TEST((line["verdict"] == "invalid") == (checked.status == 1));
    if (checked.status == 1) BOOST_TEST(!line["findings"].empty());
    const Ran shown = run_program({"show", path});
    BOOST_TEST((shown.status == 0 || shown.status == 1));
    BOOST_TEST(parsed(run_program({"show", "--json", path}).out).is_object());
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_gguf_file_is_named) {
  const ScratchFolder folder;
  const std::string text = "PK\x03\x04 some archive";
  const std::string path = folder.write("model.gguf", Bytes(reinterpret_cast<const std::byte*>(text.data()),
                                                            reinterpret_cast<const std::byte*>(text.data()) + text.size()));
  const Ran ran = run_program({"check", path});
  BOOST_TEST(ran.status == 1);
  BOOST_TEST(ran.out.find("do:") != std::string::npos);
  BOOST_TEST(run_program({"check", folder.write("empty.gguf", {})}).status == 1);
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_opened_end_with_2) {
  const ScratchFolder folder;
  BOOST_TEST(run_program({"check", folder.path("absent.gguf")}).status == 2);
  BOOST_TEST(run_program({"check", folder.path(".")}).status == 2);
  BOOST_TEST(run_program({"check"}).status == 2);
  BOOST_TEST(run_program({"check", "--profile", "nonsense", folder.path("x")}).status == 2);
  mkfifo(folder.path("fifo").c_str(), 0600);
  BOOST_TEST(run_program({"check", folder.path("fifo")}).status == 2);  // and does not wait for a writer
}

BOOST_AUTO_TEST_CASE(standard_input_gives_the_same_findings) {
  const ScratchFolder folder;
  File model = sample_model({tensor::q4_0, tensor::f32, tensor::q8_0});
  model.tensors[2].data[34] = model.tensors[2].data[35] = std::byte{0xff};  // scale of block 1: NaN
  const Bytes bytes = write_bytes(model);
  json from_file = parsed(run_program({"check", "--json", folder.write("a.gguf", bytes)}).out);
  json from_pipe = parsed(run_program({"check", "--json", "-"}, as_text(bytes)).out);
  BOOST_TEST(from_pipe["file"] == "-");
  BOOST_TEST(from_file["findings"].dump() == from_pipe["findings"].dump());
  BOOST_TEST(has_rule(from_pipe, "tensor_data"));
  for (const std::string& file : real_files()) {
    from_file = parsed(run_program({"check", "--json", file}).out);
    from_pipe = parsed(run_program({"check", "--json", "-"}, as_text(bytes_of_file(file))).out);
    BOOST_TEST(from_file["findings"].dump() == from_pipe["findings"].dump());
  }
}

BOOST_AUTO_TEST_CASE(a_stream_without_an_end_is_judged) {
  const Bytes good = write_bytes(sample_model({tensor::q4_0}));
  const ScratchFolder folder;
  const std::string path = folder.write("a.gguf", good);
  for (const std::string& head : {std::string("/dev/null"), path}) {
    for (std::string_view verb : {"check", "show"}) {
      const std::string command = "cat " + head + " /dev/zero | timeout 50 " GCTS_PROGRAM " " + std::string(verb) + " - >/dev/null 2>&1";
      const int status = std::system(("bash -c '" + command + "; exit ${PIPESTATUS[1]}'").c_str());
      BOOST_TEST((WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 1), command << ": " << WEXITSTATUS(status));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_nan_scale_in_the_last_block_is_named) {
  const ScratchFolder folder;
  for (uint32_t id : {tensor::q4_0, tensor::q8_0, tensor::f16, tensor::q6_k}) {
    for (ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
      const TensorType& type = *find_tensor_type(id);
      const uint64_t elements = 1 << 20;
      File model = sample_model({tensor::f32, id}, elements);
      Tensor& tensor = model.tensors[1];
      const uint64_t block = elements / type.block_elements - 1;
      uint32_t field_at = 0;
      for (const BlockField& field : type.codec->fields) {
        if (field.role == FieldRole::scale || field.role == FieldRole::value) field_at = field.offset;
      }
      std::byte* scale = tensor.data.data() + block * type.block_bytes + field_at;
      scale[0] = std::byte{0x01};
      scale[1] = std::byte{0x7e};
      model.layout.order = order;
      if (order == ByteOrder::big) {
        for (Tensor& each : model.tensors) {
          const TensorType& own = *find_tensor_type(each.type);
          swap_fields(*own.codec, each.data.data(), each.data.size() / own.block_bytes);
        }
      }
      const Bytes bytes = write_bytes(model);
      const Reading reading = read(bytes);
      const uint64_t offset = reading.data_start + reading.tensors[1].offset + block * type.block_bytes + field_at;
      const std::string path = folder.write("nan.gguf", bytes);
      const std::string profile = order == ByteOrder::big ? "spec" : "ggml";  // ggml reads its own byte order only
      const Ran ran = run_program({"check", "--json", "--profile", profile, path});
      BOOST_TEST(ran.status == 1);
      const json line = parsed(ran.out);
      BOOST_REQUIRE(line["findings"].size() >= 1);
      const json& finding = line["findings"][0];
      const std::string message = finding["message"];
      BOOST_TEST(finding["rule"] == "tensor_data");
      BOOST_TEST(finding["level"] == "must");
      BOOST_TEST(finding["offset"] == offset);
      BOOST_TEST(message.find(tensor.name) != std::string::npos);
      BOOST_TEST(message.find("block " + std::to_string(block)) != std::string::npos);
      BOOST_TEST(message.find("NaN") != std::string::npos);
      BOOST_TEST(run_program({"check", "--no-data", "--profile", profile, path}).status == 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_split_set_is_one_model_and_one_line) {
  const ScratchFolder folder;
  auto shard = [&](uint16_t number, uint16_t count) {
    File model = number == 0 ? sample_model({tensor::q8_0}) : File();
    if (number > 0) model.tensors = sample_model({tensor::f32}).tensors;
    model.set("split.no", Value::u16(number));
    model.set("split.count", Value::u16(count));
    model.set("split.tensors.count", Value::i32(2));
    return write_bytes(model);
  };
  const std::string first = folder.write("m-00001-of-00002.gguf", shard(0, 2));
  const std::string second = folder.write("m-00002-of-00002.gguf", shard(1, 2));
  for (const auto& arguments : {std::vector<std::string>{"check", "--json", first}, {"check", "--json", second, first}}) {
    const Ran ran = run_program(arguments);
    BOOST_TEST(ran.status == 0, ran.out);
    BOOST_TEST(std::count(ran.out.begin(), ran.out.end(), '\n') == 1);
  }
  BOOST_TEST(run_program({"check", first, "--manifest", folder.path("m.json")}).status == 0);
  BOOST_TEST(run_program({"check", second, "--verify", folder.path("m.json")}).status == 0);
  unlink(second.c_str());
  const Ran ran = run_program({"check", "--json", first});
  BOOST_TEST(ran.status == 1);
  BOOST_TEST(has_rule(parsed(ran.out), "shard_present"));
}

BOOST_AUTO_TEST_CASE(a_manifest_names_the_tensors_that_differ) {
  const ScratchFolder folder;
  const auto types = quantizable_types();
  File model = sample_model(types);
  const std::string path = folder.write("a.gguf", write_bytes(model)), manifest = folder.path("a.json");
  BOOST_TEST(run_program({"check", path, "--manifest", manifest}).status == 0);
  const json kept = parsed(std::string(as_text(bytes_of_file(manifest))));
  BOOST_REQUIRE(kept.is_object());
  BOOST_TEST(kept["tensors"].size() == types.size());
  BOOST_TEST(kept["sha256"].get<std::string>().size() == 64);
  BOOST_TEST(run_program({"check", path, "--verify", manifest}).status == 0);
  BOOST_TEST(run_program({"check", "-", "--verify", manifest}, as_text(bytes_of_file(path))).status == 0);
  model.tensors[1].data[0] ^= std::byte{1};
  model.tensors.back().name = "renamed.weight";
  const std::string other = folder.write("b.gguf", write_bytes(model));
  const Ran ran = run_program({"check", "--json", other, "--verify", manifest});
  BOOST_TEST(ran.status == 1);
  BOOST_TEST(has_rule(parsed(ran.out), "manifest"));
  BOOST_TEST(ran.out.find(model.tensors[1].name) != std::string::npos);
  BOOST_TEST(ran.out.find("renamed.weight") != std::string::npos);
  BOOST_TEST(ran.out.find(model.tensors[2].name) == std::string::npos);
  std::string text(as_text(bytes_of_file(manifest)));
  text.replace(text.find("\"sha256\":\"") + 10, 4, "0000");
  std::ofstream(folder.path("forged.json")) << text;
  BOOST_TEST(run_program({"check", path, "--verify", folder.path("forged.json")}).status == 2);
}

BOOST_AUTO_TEST_CASE(a_summary_tells_the_values) {
  const ScratchFolder folder;
  const std::string path = folder.write("a.gguf", write_bytes(sample_model({tensor::f32, tensor::q4_0})));
  const json line = parsed(run_program({"check", "--json", "--summary", path}).out);
  BOOST_REQUIRE(line["summary"].size() == 2);
  BOOST_TEST(line["summary"][0]["elements"] == 512);
  BOOST_TEST(std::abs(line["summary"][0]["max"].get<double>() - 0.25) < 0.001);
  BOOST_TEST(line["summary"][0]["zeros"] == 1);
  BOOST_TEST(run_program({"check", "--summary", path}).out.find("blk.1.q4_0.weight") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_large_file_takes_little_memory) {
  const ScratchFolder folder;
  File model = sample_model({tensor::q4_0});
  const uint64_t elements = uint64_t{1} << 30;  // 576 MiB of blocks that are all zero, as a sparse file
  model.tensors[0].dims = {elements / 1024, 1024};
  model.tensors[0].data.clear();
  const Bytes head = write_bytes(model, {.pad_last_tensor = false});
  const std::string path = folder.write("large.gguf", head);
  BOOST_REQUIRE(truncate(path.c_str(), static_cast<off_t>(head.size() + elements / 32 * 18)) == 0);
  const Ran ran = run_program({"check", path});
  BOOST_TEST(ran.status == 0, ran.out);
#if defined(__SANITIZE_ADDRESS__)
  constexpr long kInstrumented = 8;  // shadow memory, and what a sanitizer keeps of freed blocks
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  constexpr long kInstrumented = 8;
#else
  constexpr long kInstrumented = 1;
#endif
#else
  constexpr long kInstrumented = 1;
#endif
  BOOST_TEST(ran.peak_kilobytes < kInstrumented * 100 * 1024);
}

BOOST_AUTO_TEST_CASE(a_file_that_shrinks_while_mapped_is_seen_to) {
  const ScratchFolder folder;
  const std::string path = folder.write("a.gguf", Bytes(1 << 20, std::byte{1}));
  std::string error;
  const auto file = MappedFile::open(path, error);
  BOOST_REQUIRE(file != nullptr);
  BOOST_TEST(!file->changed());
  BOOST_REQUIRE(truncate(path.c_str(), 4096) == 0);
  BOOST_TEST((file->bytes()[1 << 19] == std::byte{0}));  // no SIGBUS
  BOOST_TEST(file->changed());
}

BOOST_AUTO_TEST_CASE(hostile_text_does_not_reach_the_terminal) {
  const ScratchFolder folder;
  File model = sample_model({tensor::q4_0});
  model.set("evil.\x1b[31mkey\x07", Value::string("\x1b]0;title\x07\xc3\x28\xe2\x80\xae"));
  model.tensors[0].name = "t\x1b[2J\xff";
  model.tensors[0].data[1] = std::byte{0x7e};
  model.tensors[0].data[0] = std::byte{0x01};
  const std::string path = folder.write("evil.gguf", write_bytes(model));
  for (const auto& arguments : {std::vector<std::string>{"check", path}, {"check", "--json", path}, {"check", "--summary", path},
                                {"check", "--profile", "spec", path}, {"show", path}, {"show", "--json", path}}) {
    const Ran ran = run_program(arguments);
    for (char c : ran.out + ran.err) BOOST_TEST((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
    BOOST_TEST((ran.out + ran.err).find("\xe2\x80\xae") == std::string::npos);
    if (arguments[1] == "--json") BOOST_TEST(parsed(ran.out).is_object());
  }
}

BOOST_AUTO_TEST_CASE(the_documents_verdict_is_noted_where_it_differs) {
  const ScratchFolder folder;
  File model = sample_model({tensor::q4_0});
  model.set("Upper-Case.key", Value::u32(1));
  const std::string path = folder.write("a.gguf", write_bytes(model));
  const Ran ran = run_program({"check", path});
  BOOST_TEST(ran.status == 0, ran.out);
  BOOST_TEST(ran.out.find("note: under profile spec the verdict is invalid") != std::string::npos, ran.out);
  BOOST_TEST(run_program({"check", "--profile", "spec", path}).status == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
