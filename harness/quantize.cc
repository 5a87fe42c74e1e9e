// The verb quantize: the reference quantizers on a file, and the error they make.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/check_result.h"
#include "harness/mapped_file.h"
#include "harness/options.h"
#include "harness/quantize_file.h"
#include "reference/codec.h"
#include "reports/escape.h"

namespace gcts {
namespace {

std::string quantizable_types() {
  std::string out;
  for (const TensorType& type : tensor_types()) {
    if (type.codec != nullptr && type.codec->quantize != nullptr) out += (out.empty() ? "" : " ") + std::string(type.name);
  }
  return out;
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

int complain(const std::string& path, const std::string& text, int status) {
  std::cerr << "gguf-cts quantize: " << escape_terminal(path) << ": " << escape_terminal(text) << '\n';
  return status;
}

void print(const QuantizedTensor& tensor) {
  if (!tensor.converted) {
    std::cout << fmt::format("{:<8} {:<8} {:>12} {:>12} {:>9} {:>12}  {}\n", tensor.from->name, "copied", tensor.elements, "", "", "",
                             escape_terminal(tensor.name));
    return;
  }
  std::cout << fmt::format("{:<8} {:<8} {:>12} {:>12.6g} {:>9.2f} {:>12.6g}  {}", tensor.from->name, tensor.to->name, tensor.elements,
                           tensor.root_mean_square_error, tensor.signal_to_noise_db, tensor.largest_error, escape_terminal(tensor.name));
  if (tensor.not_finite > 0) std::cout << "  (" << tensor.not_finite << " values were NaN or infinite)";
  std::cout << '\n';
}

// Writes beside the target and renames at the end, so that OUT is whole or not there.
int quantize_to(const MappedFile& in, const Reading& reading, const TensorType& type, const std::string& out_path) {
  const std::string part = out_path + ".part";
  const int descriptor = open(part.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return complain(part, std::strerror(errno), kUsageError);
  std::cout << fmt::format("{:<8} {:<8} {:>12} {:>12} {:>9} {:>12}  tensor\n", "from", "to", "elements", "RMS error", "SNR dB", "largest");
  std::string error;
  bool good = quantize_file(in, reading, type, descriptor, print, error);
  if (good && in.changed()) {
    good = false;
    error = "the input changed while it was read";
  }
  good = close(descriptor) == 0 && good;
  if (good && std::rename(part.c_str(), out_path.c_str()) != 0) {
    good = false;
    error = std::strerror(errno);
  }
  if (good) return 0;
  unlink(part.c_str());
  return complain(out_path, error.empty() ? "cannot be written" : error, kUsageError);
}

}  // namespace

int verb_quantize(int argc, char** argv) {
  std::vector<std::string> files;
  std::string type_name;
  Options options("quantize", "IN OUT --type T", "Writes IN again as OUT, its F32, F16 and BF16 tensors in another type.");
  options.value("type,t", type_name, "T", "one of " + quantizable_types());
  options.positional("IN OUT", files, "the files", 2, 2);
  options.note(
      "Prints for each tensor the root mean square error, the signal-to-noise ratio and the largest error. Tensors whose\n"
      "rows are no whole blocks of the type are copied. Ends 0, 1 if IN is not a valid model, 2 if a file cannot be used.");
  if (const auto status = options.parse(argc, argv)) return *status;
  const TensorType* type = find_tensor_type(std::string_view(lower(type_name)));
  if (type == nullptr || type->codec == nullptr || type->codec->quantize == nullptr) {
    return options.usage_error("--type is one of " + quantizable_types());
  }
  std::string error;
  const auto in = MappedFile::open(files[0], error);
  if (in == nullptr) return complain(files[0], error, kUsageError);
  struct stat from = {}, to = {};
  if (fstat(in->descriptor(), &from) == 0 && stat(files[1].c_str(), &to) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino) {
    return options.usage_error("IN and OUT are the same file");
  }
  const Reading reading = read(in->bytes());
  if (!is_usable(reading)) {
    return complain(files[0], "is not a valid model; gguf-cts check says why", 1);
  }
  return quantize_to(*in, reading, *type, files[1]);
}

}  // namespace gcts
