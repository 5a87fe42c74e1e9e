// Judgement of writing: the reference reads what was written.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gcts/plugin.h"
#include "harness/contents_diff.h"
#include "harness/contents_told.h"
#include "harness/judge.h"
#include "harness/reference_contents.h"

namespace gcts {
namespace {

// Rules that speak of bytes rather than of contents: the output equals the canonical one.
constexpr std::array kByteEqual = {rule::rewrite_identical,   rule::rewrite_stable,
                                   rule::writes_big_endian,   rule::strategies_agree,
                                   rule::writes_zero_padding, rule::writes_last_padding};

std::string at_difference(std::span<const std::byte> expected, std::span<const std::byte> actual) {
  const auto [e, a] = std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
  const auto offset = e - expected.begin();
  if (e == expected.end()) return fmt::format("{} bytes follow the {} expected", actual.size() - expected.size(), expected.size());
  if (a == actual.end()) return fmt::format("ends after {} bytes of {}", actual.size(), expected.size());
  return fmt::format("byte {} is {:#04x}, expected {:#04x}", offset, static_cast<uint8_t>(*a), static_cast<uint8_t>(*e));
}

bool exercises(const Case& c, rule::Index index) {
  return c.rule == index || std::find(c.also.begin(), c.also.end(), index) != c.also.end();
}

// Padding after the last tensor is a rule of its own: elsewhere it may be missing.
std::span<const std::byte> without_last_padding(std::span<const std::byte> bytes, const Reading& reading) {
  uint64_t end = reading.metadata_end;
  for (const TensorView& tensor : reading.tensors) end = std::max(end, reading.data_start + tensor.offset + tensor.size);
  return end < bytes.size() ? bytes.first(end) : bytes;
}

void fail(Judgement& out, std::string message) {
  out.outcome = Outcome::fail;
  out.message = std::move(message);
}

void judge_output(const Case& c, const WriteCase& write, const Terms& terms, std::span<const std::byte> bytes,
                  Judgement& out) {
  const Bytes canonical = write_bytes(write.model);
  const Reading want = read(canonical, {.stage = Stage::data, .lint = false});
  const Reading got = read(bytes, {.stage = Stage::data, .lint = false});
  for (const Finding& finding : got.findings.all()) {
    // What the model itself breaks in this profile is not the writer's doing.
    if (terms.profile->severity(finding.rule) != Severity::must || want.findings.has(finding.rule)) continue;
    return fail(out, fmt::format("writes an invalid file: {} at offset {}: {}", rule_at(finding.rule).name,
                                 finding.offset, finding.message));
  }
  const std::vector<uint8_t> expected = encode_reading(want, true);
  std::vector<uint8_t> actual = encode_reading(got, true);
  // The order of pairs and tensors is a rule of its own.
  if (!exercises(c, rule::writes_given_order)) actual = in_order_of(expected, actual);
  if (expected != actual) {
    return fail(out, "writes another model: " + first_difference(expected, actual).sentence());
  }
  const bool to_the_end = exercises(c, rule::writes_last_padding);
  const auto in_case = [&](rule::Index index) { return exercises(c, index); };
  if (std::none_of(kByteEqual.begin(), kByteEqual.end(), in_case)) return;
  const std::span<const std::byte> want_bytes = to_the_end ? std::span<const std::byte>(canonical) : without_last_padding(canonical, want);
  const auto got_bytes = to_the_end ? bytes : without_last_padding(bytes, got);
  if (!std::equal(want_bytes.begin(), want_bytes.end(), got_bytes.begin(), got_bytes.end())) {
    return fail(out, "not the canonical bytes: " + at_difference(want_bytes, got_bytes));
  }
}

}  // namespace

Judgement judge_write(const Case& c, const WriteCase& write, const Terms& terms, const Answer& answer) {
  Judgement out;
  out.expected = write.must_refuse ? "refuse" : write.output_fails ? "report the failed output" : "write";
  out.accepted = answer.kind == AnswerKind::verdict && answer.status == GCTS_OK;
  if (judge_accident(answer, out)) return out;
  constexpr const char* kActual[] = {"written", "refused", "unsupported", "failed"};
  out.actual = kActual[answer.status];
  out.message = answer.message;
  if (!answer.misuse.empty()) {
    out.outcome = Outcome::protocol;
    out.message = "misuses the output: " + answer.misuse;
  } else if (write.must_refuse) {
    if (answer.status == GCTS_OK) fail(out, "writes a model that no file can hold: " + c.comment);
    else if (answer.status != GCTS_REJECTED) fail(out, "'" + out.actual + "' is no refusal: " + answer.message);
  } else if (write.output_fails) {
    if (!answer.refused) fail(out, "never wrote to the output");
    else if (answer.status == GCTS_OK) fail(out, "reports success although the output refused bytes");
    else if (answer.status != GCTS_FAILED) fail(out, "'" + out.actual + "' instead of a failure: " + answer.message);
  } else if (answer.status != GCTS_OK) {
    // A model whose file breaks the profile, or one that nobody has to write, may be refused.
    const bool free = (c.rule < rule::kCount && terms.profile->severity(c.rule) == Severity::off) ||
                      c.expected(*terms.profile) != Expectation::valid;
    if (!free) fail(out, fmt::format("does not write a valid model ({}): {}", out.actual, answer.message));
  } else {
    judge_output(c, write, terms, std::as_bytes(answer.output), out);
  }
  return out;
}

}  // namespace gcts
