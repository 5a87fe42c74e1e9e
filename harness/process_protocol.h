// The line-JSON protocol of adapters: what is asked, and what an answer means.
//
// plugins/process/README.md specifies it.  Here models become questions and answers
// become records (contents.h), in which what a host language cannot tell is marked as
// untold.

#ifndef GCTS_HARNESS_PROCESS_PROTOCOL_H_
#define GCTS_HARNESS_PROCESS_PROTOCOL_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/case.h"
#include "harness/implementation.h"

namespace gcts {

inline constexpr int kProcessProtocol = 1;

std::string hello_question(uint64_t id);
std::string read_question(uint64_t id, std::string_view path, Stage stage);
std::string write_question(uint64_t id, std::string_view path, const WriteCase& write);
std::string dequantize_question(uint64_t id, uint32_t tensor_type, uint64_t count, std::span<const std::byte> blocks);
// Any operation without further members.
std::string plain_question(uint64_t id, std::string_view operation);

// What an answer says, whatever was asked.
struct ProcessAnswer {
  int32_t status = 0;            // gcts_status
  std::string message;
  std::vector<uint8_t> records;  // of a read that was accepted
  std::vector<uint8_t> bytes;    // of a dequantize that was accepted
};

// Each takes the line that answers question `id`; false with an explanation if the line
// breaks the protocol.
bool parse_hello(std::string_view line, uint64_t id, Description& out, std::string& error);
bool parse_verdict(std::string_view line, uint64_t id, ProcessAnswer& out, std::string& error);
// With the contents that an accept comes with; an answer without them breaks the protocol.
bool parse_read(std::string_view line, uint64_t id, ProcessAnswer& out, std::string& error);
bool parse_dequantize(std::string_view line, uint64_t id, ProcessAnswer& out, std::string& error);

}  // namespace gcts

#endif  // GCTS_HARNESS_PROCESS_PROTOCOL_H_
