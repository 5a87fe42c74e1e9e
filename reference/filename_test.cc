// The naming convention: what each reading makes of a table of names.

#include "reference/filename.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>

namespace gcts {
namespace {

// Sidecar|Base|Size|FineTune|Version|Encoding|Type|Shard, or "" where the name does
// not follow the convention.
std::string dump(std::string_view name, NameReading reading) {
  const ParsedName parsed = parse_file_name(name, reading);
  if (!parsed.follows) {
    BOOST_TEST(!parsed.fault.empty());
    return "";
  }
  const FileName& p = parsed.parts;
  return p.sidecar + "|" + p.base_name + "|" + p.size_label + "|" + p.fine_tune + "|" + p.version + "|" +
         p.encoding + "|" + p.type + "|" + p.shard;
}

struct Row {
  std::string_view name, expression, prose;
};

constexpr std::string_view kSame = "=";

constexpr Row kRows[] = {
    {"Mixtral-8x7B-v0.1-KQ2.gguf", "|Mixtral|8x7B||v0.1|KQ2||", kSame},
    {"Grok-100B-v1.0-Q4_0-00003-of-00009.gguf", "|Grok|100B||v1.0|Q4_0||00003-of-00009", kSame},
    {"Hermes-2-Pro-Llama-3-8B-F16.gguf", "", "|Hermes-2-Pro-Llama-3|8B|||F16||"},
    {"mmproj-Qwen2-VL-7B-v1.0-F16.gguf", "mmproj|Qwen2-VL|7B||v1.0|F16||", kSame},
    {"Tiny-1M-v1.gguf", "|Tiny|1M||v1|||", ""},
    {"Tiny-1M-v1.2.3-BF16.gguf", "|Tiny|1M||v1.2.3|BF16||", ""},
    {"Tiny-1M-chat-v1.0-LoRA.gguf", "|Tiny|1M|chat|v1.0||LoRA|", kSame},
    {"Tiny-1M-v1.0-vocab.gguf", "|Tiny|1M||v1.0||vocab|", kSame},
    {"Tiny-1M-v1.0-F16-LoRA.gguf", "|Tiny|1M||v1.0|F16|LoRA|", kSame},
    {"Tiny-1M-v1.0-00001-of-00002.gguf", "|Tiny|1M||v1.0|||00001-of-00002", kSame},
    {"Tiny-1M-v1.0-IQ2_XXS-00001-of-00001.gguf", "|Tiny|1M||v1.0|IQ2_XXS||00001-of-00001", kSame},
    {"Tiny-128x17.5T-v1.0-Q2_K.gguf", "|Tiny|128x17.5T||v1.0|Q2_K||", kSame},
    {"Tiny-7B-A3B-v1.0.gguf", "|Tiny|7B-A3B||v1.0|||", kSame},
    {"Qwen3-30B-A3B-Instruct-v1.0-Q4_K_M.gguf", "|Qwen3|30B-A3B|Instruct|v1.0|Q4_K_M||", kSame},
    {"Tiny-1M-it 2-v1.0.gguf", "|Tiny|1M|it 2|v1.0|||", kSame},
    {"1-1M-v1.0.gguf", "|1|1M||v1.0|||", kSame},
    {"Llama-3-8B-8B-v1.0.gguf", "|Llama-3|8B|8B|v1.0|||", kSame},
    {"MMPROJ-Tiny-1M-v1.0-F16.gguf", "|MMPROJ-Tiny|1M||v1.0|F16||", kSame},
    {"mmproj-mtp-Tiny-1M-v1.0-F16.gguf", "mmproj|mtp-Tiny|1M||v1.0|F16||", kSame},
    {"Tiny--v1.0.gguf", "|Tiny|||v1.0|||", ""},
    {"-1M-v1.0.gguf", "||1M||v1.0|||", ""},
    {"mtp--1M-v1.0.gguf", "mtp||1M||v1.0|||", ""},
    {"Tiny-8x-v1.0.gguf", "|Tiny|8x||v1.0|||", ""},
    {"Tiny-1M-v1.0-lora.gguf", "|Tiny|1M||v1.0|lora||", ""},
    {"Tiny-1M-v1.0-F16-00000-of-00003.gguf", "|Tiny|1M||v1.0|F16||00000-of-00003", ""},
    {"Tiny-1M-v1.0-F16-00004-of-00003.gguf", "|Tiny|1M||v1.0|F16||00004-of-00003", ""},
    {"Tiny-1M-v01.00.gguf", "|Tiny|1M||v01.00|||", kSame},
    {"Tiny-v1.0.gguf", "", ""},
    {"Tiny-1M-v1.0-LoRA-F16.gguf", "", ""},
    {"Tiny-1M-V1.0-F16.gguf", "", "|Tiny|1M|V1.0||F16||"},
    {"Tiny-1M-v1.0-F16-0001-of-0003.gguf", "", ""},
    {"Tiny-1M-v1.0-F16-100000-of-100000.gguf", "", ""},
    {"Qwen2.5-7B-v1.0-Q8_0.gguf", "", "|Qwen2.5|7B||v1.0|Q8_0||"},
    {"Tiny-1M-v1.0-UD-Q4_K_XL.gguf", "", ""},
    {"Tiny_Model-1M-v1.0-F16.gguf", "", "|Tiny_Model|1M||v1.0|F16||"},
    {"Tiny-1M-fine_tune-v1.0.gguf", "", "|Tiny|1M|fine_tune|v1.0|||"},
    {"Tiny-.5B-v1.0.gguf", "", ""},
    {"Tiny-1.B-v1.0.gguf", "", ""},
    {"Tiny-1M-v1.0-F16.GGUF", "", ""},
    {"Tiny-1M-v1.0-F16.gguf.part", "", ""},
    {"dir/Tiny-1M-v1.0-F16.gguf", "", ""},
    {"Tiny-1M-v1.0-.gguf", "", ""},
    {"v1.0.gguf", "", ""},
    {".gguf", "", ""},
    {"T\xc3\xafny-1M-v1.0.gguf", "", "|T\xc3\xafny|1M||v1.0|||"},
    {"Tiny-1M-v1.0-F16\n.gguf", "", ""},
    {"Ti\nny-1M-v1.0.gguf", "|Ti\nny|1M||v1.0|||", kSame},
    {"Tiny-1M-v1-v2-F16.gguf", "|Tiny|1M|v1|v2|F16||", ""},
    {"", "", ""},
};

BOOST_AUTO_TEST_SUITE(filename)

BOOST_AUTO_TEST_CASE(table) {
  for (const Row& row : kRows) {
    BOOST_TEST_CONTEXT(row.name) {
      BOOST_TEST(dump(row.name, NameReading::expression) == row.expression);
      BOOST_TEST(dump(row.name, NameReading::prose) == (row.prose == kSame ? row.expression : row.prose));
    }
  }
}

// A backtracking matcher takes time that explodes on these.
BOOST_AUTO_TEST_CASE(long_names_take_linear_time) {
  std::string dashes = "A", spaces = "A";
  for (int i = 0; i < 20'000; ++i) dashes += "-a", spaces += "- ";
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& name : {dashes + "!.gguf", spaces + "!.gguf", std::string(100'000, 'A') + ".gguf"})
    for (const NameReading reading : {NameReading::prose, NameReading::expression})
      BOOST_TEST(!parse_file_name(name, reading).follows);
  const std::string sized = dashes + "-1M-" + dashes;
  BOOST_TEST(parse_file_name(sized + ".gguf", NameReading::prose).follows);
  BOOST_TEST(!parse_file_name(sized + ".gguf", NameReading::expression).follows);
  BOOST_TEST(parse_file_name(sized + "-v1.gguf", NameReading::expression).follows);
  BOOST_TEST((std::chrono::steady_clock::now() - start < std::chrono::seconds(2)));
}

BOOST_AUTO_TEST_CASE(shard_names) {
  const ShardName shard{"a-b", 3, 9};
  BOOST_TEST(shard_file_name(shard) == "a-b-00003-of-00009.gguf");
  BOOST_TEST((parse_shard_name("a-b-00003-of-00009.gguf") == shard));
  BOOST_TEST((parse_shard_name("-00000-of-00002.gguf") == ShardName{"", 0, 2}));
  BOOST_TEST(
      (parse_shard_name("x-00001-of-00002-00003-of-00004.gguf") == ShardName{"x-00001-of-00002", 3, 4}));
  for (const std::string_view other :
       {"", ".gguf", "a.gguf", "a-0001-of-0002.gguf", "a-000001-of-000002.gguf", "a-00001-OF-00002.gguf",
        "a_00001-of-00002.gguf", "00001-of-00002.gguf", "a-00001-of-00002.GGUF", "a-0000x-of-00002.gguf",
        "a-00001-of-00002"})
    BOOST_TEST(!parse_shard_name(other));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
