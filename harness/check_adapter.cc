// The verb check-adapter: asks a process everything that the protocol has, step by step.

#include <fmt/format.h>
#include <signal.h>

#include <memory>

#include "gcts/plugin.h"
#include "harness/contents_diff.h"
#include "harness/contents_told.h"
#include "harness/locations.h"
#include "harness/mapped_file.h"
#include "harness/options.h"
#include "harness/process_channel.h"
#include "harness/process_protocol.h"
#include "harness/reference_contents.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

constexpr double kStartSeconds = 30;
constexpr uint64_t kMostAnswer = 1u << 20;

// What every implementation can hold and has held: an adapter that fails here is wrong itself.
File plain_sample() {
  File model;
  model.set("general.architecture", Value::string("llama"));
  model.set("general.name", Value::string("say \"quoted\", \\ and <b>"));
  model.set("llama.context_length", Value::u32(4096));
  model.set("llama.rope.freq_base", Value::f32(10000.0f));
  model.set("tokenizer.ggml.token_type", Value::array(ValueType::int32, {Value::i32(-1), Value::i32(0), Value::i32(7)}));
  model.set("tokenizer.ggml.tokens", Value::strings({"a", "b c", "d"}));
  Tensor tensor;
  tensor.name = "token_embd.weight";
  tensor.dims = {4, 2};
  for (int i = 0; i < 32; ++i) tensor.data.push_back(static_cast<std::byte>(i));
  model.tensors.push_back(std::move(tensor));
  return model;
}

// With one of everything that an adapter has to spell.
File full_sample() {
  File model = plain_sample();
  model.set("llama.text", Value::string("two\nlines\n"));
  model.set("llama.largest", Value::u64(UINT64_MAX));
  model.set("llama.float", Value::f32(0.1f));
  model.set("llama.double", Value::f64(0.1));
  model.set("llama.yes", Value::boolean(true));
  model.set("llama.negative", Value::i16(-2));
  model.set("llama.words", Value::strings({"a", "", "b c"}));
  return model;
}

class AdapterCheck {
 public:
  AdapterCheck(const std::string& command, std::vector<std::string> environment)
      : channel_(command, std::move(environment)) {}

  int run() {
    if (!step("starts and says hello", greets())) return 1;
    fmt::print("     {} {}: {}\n", description_.name, description_.version, offers());
    if (!description_.reads && !description_.writes && description_.kernels.empty()) {
      step("offers something", "hello offers neither 'reads' nor 'writes' nor 'dequantizes'");
    }
    if (description_.reads) check_reading();
    if (description_.writes) {
      step("writes a file that the reference reads", writes(plain_sample()));
      remark("writes a file with a value of each kind", writes(full_sample()));
    }
    if (!description_.kernels.empty()) step("dequantizes", dequantizes());
    step("answers an unknown operation with 'unsupported'", refuses_unknown());
    step("ends when asked to", ends());
    if (remarks_) fmt::print("remarks are on the implementation: what it holds wrong is for the suite to judge\n");
    fmt::print("{}\n", failed_ ? "the adapter does not speak the protocol" : "the adapter speaks the protocol");
    return failed_ ? 1 : 0;
  }

 private:
  // "" is right; prints either way.
  bool step(const char* what, const std::string& wrong) {
    fmt::print("{} {}{}{}\n", wrong.empty() ? "ok  " : "FAIL", what, wrong.empty() ? "" : ": ", wrong);
    failed_ |= !wrong.empty();
    return wrong.empty();
  }

  // Like a step, but fails only where the adapter spoke nonsense.
  bool remark(const char* what, const std::string& wrong) {
    if (wrong.empty() || !understood_) return step(what, wrong);
    fmt::print("note {}: {}\n", what, wrong);
    remarks_ = true;
    return false;
  }

  void check_reading() {
    step("reads a valid file, stage data", reads(plain_sample(), Stage::data));
    step("reads a valid file, stage metadata", reads(plain_sample(), Stage::metadata));
    remark("reads a file with a value of each kind", reads(full_sample(), Stage::data));
    // A reader may miss either fault; one that misses both has no verdict to tell.
    Bytes broken = write_bytes(plain_sample());
    const bool cut = remark("rejects a file that is cut off in its header, with a message",
                            wants(folder_.write({{"cut.gguf", Bytes(broken.begin(), broken.begin() + 6)}}), GCTS_REJECTED, "reject"));
    broken[0] = std::byte{'X'};
    const bool other = remark("rejects a file of another magic number, with a message",
                              wants(folder_.write({{"broken.gguf", broken}}), GCTS_REJECTED, "reject"));
    step("rejects one of the two", cut || other ? "" : "neither is rejected");
    step("answers 'error' for a file that is not there", wants("/nonexistent/model.gguf", GCTS_FAILED, "error"));
  }

  std::string offers() const {
    std::string out = description_.reads ? "reads" : "";
    if (description_.reader_capabilities & GCTS_READS_TENSOR_BYTES) out += " tensor bytes too";
    if (description_.reads && !description_.tells_contents) out += " (verdicts only)";
    if (description_.writes) out += out.empty() ? "writes" : ", writes";
    if (!description_.kernels.empty()) out += fmt::format("{}dequantizes {} types", out.empty() ? "" : ", ", description_.kernels.size());
    return out;
  }

  // One exchange; "" or what went wrong.
  std::string ask(const std::string& question, std::string& line) {
    std::string error;
    understood_ = false;
    if (!channel_.start(error)) return error;
    Limits limits;
    limits.wall_seconds = limits.cpu_seconds = kStartSeconds;
    const Exchanged exchanged = channel_.ask(question, kMostAnswer, limits, line);
    if (exchanged == Exchanged::answer) return "";
    understood_ = exchanged != Exchanged::over_output;  // how it died is clear enough
    return channel_.note();
  }

  std::string greets() {
    std::string line, error;
    if (std::string wrong = ask(hello_question(++id_), line); !wrong.empty()) return wrong;
    parse_hello(line, id_, description_, error);
    return error;
  }

  std::string reads(const File& model, Stage stage) {
    const Bytes bytes = write_bytes(model);
    std::string line, error;
    if (std::string wrong = ask(read_question(++id_, folder_.write({{"sample.gguf", bytes}}), stage), line); !wrong.empty()) return wrong;
    ProcessAnswer said;
    if (!parse_read(line, id_, said, error)) return error;
    understood_ = true;
    if (said.status != GCTS_OK) return "does not accept it: " + said.message;
    if (!description_.tells_contents) return "";
    const bool digests = stage == Stage::data && (description_.reader_capabilities & GCTS_READS_TENSOR_BYTES);
    const std::vector<Reading> readings{read(bytes, {.stage = stage, .lint = false})};
    const std::vector<uint8_t> whole = encode_readings(readings, digests, true);
    if (!description_.tells_order) said.records = in_order_of(whole, said.records);
    const std::vector<uint8_t> expected = as_told(whole, said.records);
    return expected == said.records ? "" : first_difference(expected, said.records).sentence();
  }

  std::string wants(const std::string& path, int32_t status, const char* word) {
    std::string line, error;
    if (std::string wrong = ask(read_question(++id_, path, Stage::data), line); !wrong.empty()) return wrong;
    ProcessAnswer said;
    if (!parse_read(line, id_, said, error)) return error;
    understood_ = true;
    if (said.status != status) return fmt::format("the verdict is not '{}' ({})", word, said.message);
    return said.message.empty() ? "the verdict comes without 'message'" : "";
  }

  // Order and version are the writer's affair.
  std::string writes(const File& model) {
    const std::string path = folder_.write({{"written.gguf", {}}});
    WriteCase write;
    write.model = model;
    std::string line, error;
    if (std::string wrong = ask(write_question(++id_, path, write), line); !wrong.empty()) return wrong;
    ProcessAnswer said;
    if (!parse_verdict(line, id_, said, error)) return error;
    understood_ = true;
    if (said.status != GCTS_OK) return "does not write it: " + said.message;
    const std::unique_ptr<MappedFile> file = MappedFile::open(path, error);
    if (!file) return error;
    const Reading reading = read(file->bytes(), {.stage = Stage::data, .lint = false});
    write.model.layout.version = reading.layout.version;
    const Bytes wanted = write_bytes(write.model);
    const auto expected = encode_reading(read(wanted, {.stage = Stage::data, .lint = false}), true);
    const auto actual = in_order_of(expected, encode_reading(reading, true));
    return expected == actual ? "" : first_difference(expected, actual).sentence();
  }

  // One block of zeros of each type: what the values are is for the kernel suite.
  std::string dequantizes() {
    for (const KernelDescription& kernel : description_.kernels) {
      const TensorType* type = find_tensor_type(kernel.row.tensor_type);
      if (!type || type->block_bytes == 0) return fmt::format("offers tensor type {}, which does not exist", kernel.row.tensor_type);
      const std::vector<std::byte> block(type->block_bytes);
      std::string line, error;
      ProcessAnswer said;
      error = ask(dequantize_question(++id_, type->id, type->block_elements, block), line);
      if (error.empty()) parse_dequantize(line, id_, said, error);
      if (!error.empty()) return fmt::format("{}: {}", type->name, error);
      if (said.status != GCTS_OK) return fmt::format("{}: does not do it: {}", type->name, said.message);
      if (said.bytes.size() != 4 * type->block_elements) return fmt::format("{}: {} bytes for {} values", type->name, said.bytes.size(), type->block_elements);
    }
    return "";
  }

  std::string refuses_unknown() {
    std::string line, error;
    if (std::string wrong = ask(plain_question(++id_, "sing"), line); !wrong.empty()) return wrong;
    ProcessAnswer said;
    if (!parse_verdict(line, id_, said, error)) return error;
    return said.status == GCTS_UNSUPPORTED ? "" : "the verdict is another one";
  }

  std::string ends() {
    std::string line, error;
    if (std::string wrong = ask(plain_question(++id_, "exit"), line); !wrong.empty()) return wrong;
    ProcessAnswer said;
    if (!parse_verdict(line, id_, said, error)) return error;
    return channel_.finish(5) ? "" : "still runs after 5 s";
  }

  ProcessChannel channel_;
  TemporaryFolder folder_;
  Description description_;
  uint64_t id_ = 0;
  bool understood_ = false;  // the last answer follows the protocol
  bool remarks_ = false;
  bool failed_ = false;
};

}  // namespace

int verb_check_adapter(int argc, char** argv) {
  std::vector<std::string> command;
  Options options("check-adapter", "CMD", "Tells step by step whether an adapter speaks the protocol of --process.");
  options.positional("CMD", command, "the adapter's command line, as one argument", 1, 1);
  options.note("plugins/process/README.md specifies the protocol.  Ends 0 if every step is right, else 1.");
  if (auto status = options.parse(argc, argv)) return *status;
  signal(SIGPIPE, SIG_IGN);
  return AdapterCheck(command[0], {}).run();
}

}  // namespace gcts
