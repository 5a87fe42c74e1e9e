// Runs the built program; see spawn_test.h.

#include "harness/spawn_test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "reference/codec.h"
#include "reference/tensor_type.h"

namespace gcts {
namespace {

// Feeds and drains until the program has closed its outputs.
void exchange(int input, int output, int error, std::string_view text, Ran& ran) {
  signal(SIGPIPE, SIG_IGN);
  for (int fd : {input, output, error}) fcntl(fd, F_SETFL, O_NONBLOCK);
  if (text.empty()) close(input), input = -1;
  bool open[2] = {true, true};
  while (open[0] || open[1]) {
    pollfd waits[] = {{open[0] ? output : -1, POLLIN, 0}, {open[1] ? error : -1, POLLIN, 0}, {input, POLLOUT, 0}};
    poll(waits, 3, -1);
    char buffer[1 << 16];
    for (int i = 0; i < 2; ++i) {
      if (waits[i].revents == 0) continue;
      const ssize_t n = read(waits[i].fd, buffer, sizeof buffer);
      if (n > 0) (i == 0 ? ran.out : ran.err).append(buffer, static_cast<size_t>(n));
      else if (n == 0 || errno != EAGAIN) open[i] = false;
    }
    if (input >= 0 && waits[2].revents != 0) {
      const ssize_t n = write(input, text.data(), text.size());
      if (n > 0) text.remove_prefix(static_cast<size_t>(n));
      if (text.empty() || (n < 0 && errno != EAGAIN)) close(input), input = -1;
    }
  }
  if (input >= 0) close(input);
}

}  // namespace

Ran run_program(const std::vector<std::string>& arguments, std::string_view input, unsigned seconds, int output) {
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(in[0], 0), dup2(output >= 0 ? output : out[1], 1), dup2(err[1], 2);
    alarm(seconds);  // SIGALRM ends what hangs
    std::vector<char*> argv = {const_cast<char*>(GCTS_PROGRAM)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(GCTS_PROGRAM, argv.data());
    _exit(127);
  }
  close(in[0]), close(out[1]), close(err[1]);
  Ran ran;
  exchange(in[1], out[0], err[0], input, ran);
  close(out[0]), close(err[0]);
  int status = 0;
  rusage usage = {};
  wait4(child, &status, 0, &usage);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.peak_kilobytes = usage.ru_maxrss;
  return ran;
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "gcts-verbs-XXXXXX").string();
  folder_ = mkdtemp(pattern.data()) != nullptr ? pattern : "";
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::string ScratchFolder::write(std::string_view name, const Bytes& bytes) const {
  std::ofstream out(path(name), std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path(name);
}

Bytes bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return Bytes(bytes.begin(), bytes.end());
}

std::string_view as_text(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::vector<uint32_t> quantizable_types() {
  std::vector<uint32_t> out;
  for (const TensorType& type : tensor_types()) {
    if (type.codec != nullptr && type.codec->quantize != nullptr) out.push_back(type.id);
  }
  return out;
}

std::vector<std::string> real_files() {
  std::vector<std::string> out;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(GCTS_SOURCE_DIR "/../shared/spec/real", ignored)) {
    if (entry.path().extension() == ".gguf") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

File sample_model(const std::vector<uint32_t>& types, uint64_t elements) {
  File model;
  model.set("general.architecture", Value::string("llama"));
  model.set("general.quantization_version", Value::u32(2));
  std::vector<float> values(elements);
  for (uint64_t i = 0; i < elements; ++i) values[i] = std::sin(static_cast<float>(i) * 0.7f) * 0.25f;
  for (uint32_t id : types) {
    const TensorType& type = *find_tensor_type(id);
    Tensor tensor;
    tensor.name = "blk." + std::to_string(model.tensors.size()) + "." + std::string(type.name) + ".weight";
    tensor.type = id;
    tensor.dims = {elements / 2, 2};
    tensor.data.resize(elements / type.block_elements * type.block_bytes);
    if (type.codec->quantize != nullptr) type.codec->quantize(values.data(), nullptr, tensor.data.data(), elements);
    model.tensors.push_back(std::move(tensor));
  }
  return model;
}

}  // namespace gcts
