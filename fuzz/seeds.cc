// Seeds: small corpus files, blocks and floats of every shape, hostile text, calls of
// kernels, and replies of adapters.

#include "fuzz/seeds.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "corpus/case.h"
#include "corpus/models.h"
#include "reference/generator.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

constexpr size_t kLargestSeed = 4096;

// A shard set is one seed: its files one after the other.
std::vector<Bytes> files() {
  std::vector<Bytes> out;
  for (const Case& c : cases()) {
    if (c.kind != CaseKind::read || c.size != CaseSize::small) continue;
    Bytes all;
    for (const CaseFile& file : c.files()) all.insert(all.end(), file.bytes.begin(), file.bytes.end());
    if (all.size() <= kLargestSeed) out.push_back(std::move(all));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Sound models of everyday kinds alone, so that a campaign has everything to find.
std::vector<Bytes> plain() {
  const auto numbers = [](ValueType type, size_t count) {
    std::vector<Value> out;
    for (size_t i = 0; i < count; ++i) out.push_back(Value::scalar(type, i + 1));
    return Value::array(type, std::move(out));
  };
  std::vector<File> models = {
      minimal(),
      one_tensor(),
      two_tensors(),
      rich(),
      with("general.name", Value::string("a model")),
      with("llama.block_count", Value::u32(2)),
      with("general.quantization_version", Value::u32(2)),
      with("gcts.flag", Value::boolean(true)),
      with("gcts.f32", Value::f32(0.5f)),
      with("gcts.u64", Value::u64(7)),
      with("gcts.i16", Value::i16(3)),
      with("tokenizer.ggml.tokens", Value::strings({"<s>", "a", "b"})),
      with("gcts.numbers", numbers(ValueType::uint32, 5)),
      with("gcts.bytes", numbers(ValueType::uint8, 9)),
      with(kAlignmentKey, Value::u32(64)),
      with_tensors({filled("q", tensor::q4_0, {64})}),
      with_tensors({filled("k", tensor::q4_k, {256})}),
      with_tensors({filled("h", tensor::f16, {4, 3})}),
      with_tensors({filled("a", tensor::f32, {2, 2, 2}), filled("b", tensor::i8, {8})}),
  };
  std::vector<Bytes> out;
  for (const File& model : models) out.push_back(write_bytes(model));
  return out;
}

// Inputs as kernel_fuzzer.cc reads them: two bytes that choose a kernel, three for the
// call, then bytes that are legal as blocks of any type.
std::vector<Bytes> calls() {
  constexpr size_t kMostKernels = 160, kBytes = 600;
  std::vector<Bytes> out;
  for (size_t kernel = 0; kernel < kMostKernels; ++kernel) {
    Bytes input{std::byte(kernel & 255), std::byte(kernel >> 8), std::byte(kernel % 3), std::byte(kernel % 9), std::byte(kernel % 4)};
    const Bytes more = pattern(kBytes, "call " + std::to_string(kernel));
    input.insert(input.end(), more.begin(), more.end());
    out.push_back(std::move(input));
  }
  return out;
}

// Inputs as protocol_fuzzer.cc reads them: a byte that says what is answered, then a line.
std::vector<Bytes> replies() {
  using namespace std::string_view_literals;
  constexpr std::string_view kReplies[] = {
      "\0{\"id\":1,\"protocol\":1,\"name\":\"x\",\"version\":\"1.0\",\"reads\":[\"file\",\"tensor_bytes\"],\"writes\":[\"file\"],\"dequantizes\":[2,\"8\"]}"sv,
      "\1a.b\nc\x7f\"\\"sv,
      "\2{\"id\":1,\"verdict\":\"accept\",\"version\":3,\"byte_order\":\"little\",\"alignment\":32,\"metadata\":[],\"tensors\":[]}"sv,
      "\2{\"id\":1,\"verdict\":\"accept\",\"metadata\":[{\"key\":\"general.architecture\",\"type\":\"string\",\"value\":\"llama\"}]}"sv,
      "\2{\"id\":1,\"verdict\":\"accept\",\"metadata\":[{\"key\":{\"hex\":\"6100\"},\"type\":\"float32\",\"value\":\"0.5\",\"bits\":\"3f000000\"}]}"sv,
      "\2{\"id\":1,\"verdict\":\"accept\",\"metadata\":[{\"key\":\"a\",\"type\":\"array\",\"element_type\":\"uint8\",\"base64\":\"AQID\"}]}"sv,
      "\2{\"id\":1,\"verdict\":\"accept\",\"metadata\":[{\"key\":\"a\",\"type\":\"array\",\"values\":[{\"type\":\"number\",\"value\":\"1\"}]}]}"sv,
      "\2{\"id\":1,\"verdict\":\"accept\",\"tensors\":[{\"name\":\"w\",\"type\":0,\"dims\":[\"4\",2],\"offset\":0,\"size\":32}]}"sv,
      "\2{\"id\":1,\"verdict\":\"reject\",\"message\":\"bad magic\"}"sv,
      "\6{\"id\":1,\"verdict\":\"unsupported\",\"message\":\"no\"}"sv,
      "\7{\"id\":1,\"verdict\":\"accept\",\"base64\":\"AACAPwAAAEA=\"}"sv,
  };
  std::vector<Bytes> out;
  for (const std::string_view each : kReplies) {
    const auto* data = reinterpret_cast<const std::byte*>(each.data());
    out.emplace_back(data, data + each.size());
  }
  return out;
}

// Inputs as codec_blocks.h reads them: two bytes that choose, then blocks or floats.
std::vector<Bytes> blocks() {
  constexpr uint8_t kMostTypes = 16;       // of one family
  constexpr size_t kBytes = 4 * 292;       // four of the largest blocks
  std::vector<Bytes> out;
  for (uint8_t type = 0; type < kMostTypes; ++type) {
    const auto add = [&](auto fill) {
      Bytes input(2 + kBytes);
      input[0] = std::byte{type};
      input[1] = static_cast<std::byte>(out.size() & 1);
      fill(input.data() + 2);
      out.push_back(std::move(input));
    };
    Generator random(type, "seed blocks");
    add([&](std::byte*) {});
    add([&](std::byte* to) { std::memset(to, 0xff, kBytes); });
    add([&](std::byte* to) { random.fill(to, kBytes); });
    for (const int spread : {0, 8, 120}) {
      add([&](std::byte* to) {
        for (size_t at = 0; at + sizeof(float) <= kBytes; at += sizeof(float)) {
          const float value = random.spread(-spread, spread);
          std::memcpy(to + at, &value, sizeof value);
        }
      });
    }
  }
  return out;
}

std::vector<Bytes> text() {
  using namespace std::string_view_literals;
  constexpr std::string_view kTexts[] = {
      ""sv,
      "model.gguf"sv,
      "Mixtral-8x7B-v0.1-KQ2.gguf"sv,
      "mmproj-Qwen2-VL-7B-v1.0-F16.gguf"sv,
      "Grok-100B-v1.0-Q4_0-00003-of-00009.gguf"sv,
      "Hermes-2-Pro-Llama-3-8B-F16-LoRA-00000-of-99999.gguf"sv,
      "-00001-of-00001.gguf"sv,
      "plain\xff" "\x1b[31mred\x1b[0m\xff" "nul\0in\xff" "\r\nok 99 - smuggled\xff" "# SKIP"sv,
      "<script>alert(\"&amp;'\")</script>\xff" "]]>\xff" "<!--\xff" "&#0;\xff" "<?x?>"sv,
      "=cmd|' /C calc'!A0\xff" "\t=1\xff" "a\"b,c\xff" "-1+2\xff" "@x"sv,
      "a|b `code` **bold**\xff" "[x](y)\xff" "``\xff" "@someone #1\xff" "\\|"sv,
      "\xe2\x80\xaeleft\xff" "\xef\xbb\xbf" "bom\xff" "\xed\xa0\x80\xff" "\xc3\x28\xff" "\xf4\x8f\xbf\xbf\xff" "\xef\xbf\xbe"sv,
  };
  std::vector<Bytes> out;
  for (const std::string_view each : kTexts) {
    const auto* data = reinterpret_cast<const std::byte*>(each.data());
    out.emplace_back(data, data + each.size());
  }
  return out;
}

}  // namespace

std::vector<Bytes> make_seeds(std::string_view kind) {
  if (kind == "files") return files();
  if (kind == "blocks") return blocks();
  if (kind == "text") return text();
  if (kind == "plain") return plain();
  if (kind == "calls") return calls();
  if (kind == "replies") return replies();
  return {};
}

}  // namespace gcts
