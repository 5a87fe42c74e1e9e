// Replies of an adapter, any bytes: each is understood or refused with a reason, and what
// was understood can be compared and told.  Byte 0 chooses the question that a reply is to.

#include <algorithm>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "corpus/models.h"
#include "fuzz/promise.h"
#include "harness/contents.h"
#include "harness/contents_diff.h"
#include "harness/contents_told.h"
#include "harness/process_protocol.h"
#include "harness/reference_contents.h"

using namespace gcts;

namespace {

constexpr uint64_t kId = 1;

using Parse = bool (*)(std::string_view line, uint64_t id, ProcessAnswer& out, std::string& error);

const std::vector<uint8_t>& expected_records() {
  static const std::vector<uint8_t> records = encode_reading(read(write_bytes(rich())), true);
  return records;
}

// What was understood goes on to be compared with what was expected.
void compare(const std::vector<uint8_t>& records) {
  if (records.empty()) return;
  const std::vector<uint8_t> told = as_told(expected_records(), records);
  if (!std::equal(told.begin(), told.end(), records.begin(), records.end()))
    promise(!first_difference(told, records).where.empty(), "a difference has a place");
}

void check_reply(Parse parse, std::string_view line) {
  // Eight bytes of JSON can make a record of some dozen bytes; nothing makes more.
  constexpr size_t kMostGrowth = 64;
  ProcessAnswer answer, again;
  std::string error, error_again;
  const bool understood = parse(line, kId, answer, error);
  promise(understood == error.empty(), "a reply is understood, or there is a reason why not");
  promise(parse(line, kId, again, error_again) == understood && error == error_again, "a reply means the same every time");
  promise(answer.records == again.records && answer.bytes == again.bytes, "a reply means the same every time");
  promise(answer.records.size() + answer.bytes.size() <= kMostGrowth * (line.size() + 16), "records are no more than the reply pays for");
  if (understood) compare(answer.records);
}

void check_hello(std::string_view line) {
  Description description;
  std::string error;
  const bool understood = parse_hello(line, kId, description, error);
  promise(understood == error.empty(), "a greeting is understood, or there is a reason why not");
}

// Questions with the same hostile text in them.
void check_questions(std::string_view text) {
  WriteCase write;
  write.model = minimal();
  write.model.set(std::string(text.substr(0, 70'000)), Value::string(std::string(text)));
  write.model.tensors.push_back({std::string(text), 0, {1}, Bytes(4), {}});
  for (const std::string& question : {write_question(kId, "model.gguf", write), plain_question(kId, "exit")}) {
    promise(nlohmann::json::accept(question), "a question is JSON");
    promise(question.find('\n') == question.npos, "a question is one line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static constexpr Parse kParsers[] = {parse_read, parse_verdict, parse_dequantize};
  if (size == 0) return 0;
  const std::string_view line(reinterpret_cast<const char*>(data) + 1, size - 1);
  const uint8_t chosen = data[0] % 8;
  if (chosen == 0) check_hello(line);
  else if (chosen == 1) check_questions(line);
  else check_reply(chosen < 6 ? kParsers[0] : kParsers[chosen - 5], line);
  return 0;
}
