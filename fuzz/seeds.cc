// Seeds: small corpus files, blocks and floats of every shape, and hostile text.

#include "fuzz/seeds.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "corpus/case.h"
#include "reference/generator.h"

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
  return {};
}

}  // namespace gcts
