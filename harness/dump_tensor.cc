// The verb dump-tensor: the values of one tensor, one a line.

#include <bit>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/mapped_file.h"
#include "harness/options.h"
#include "reference/codec.h"
#include "reference/reader.h"
#include "reference/tensor_type.h"
#include "reports/escape.h"

namespace gcts {
namespace {

constexpr uint64_t kPieceElements = 1 << 16;

int complain(const std::string& path, const std::string& text, int status) {
  std::cerr << "gguf-cts dump-tensor: " << escape_terminal(path) << ": " << text << '\n';
  return status;
}

// "A:B", either end left out; false if it is nothing of the kind or beyond `count`.
bool parse_rows(const std::string& text, uint64_t count, uint64_t& first, uint64_t& last) {
  first = 0;
  last = count;
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const std::string a = text.substr(0, colon), b = text.substr(colon + 1);
  return (a.empty() || parse_number(a, first)) && (b.empty() || parse_number(b, last)) && first <= last && last <= count;
}

// A plain number that f32 cannot hold, exactly; nothing for other formats.
std::string exact_text(NumberFormat format, const std::byte* bytes) {
  if (format == NumberFormat::f64) {
    double value;
    std::memcpy(&value, bytes, sizeof value);
    return fmt::format("{}", value);
  }
  if (format == NumberFormat::i64) {
    int64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return fmt::format("{}", value);
  }
  if (format == NumberFormat::i32) {
    int32_t value;
    std::memcpy(&value, bytes, sizeof value);
    return fmt::format("{}", value);
  }
  return "";
}

class Dump {
 public:
  Dump(const MappedFile& file, const Reading& reading, const TensorView& tensor, const TensorType& type, bool bits)
      : file_(file), reading_(reading), tensor_(tensor), type_(type), bits_(bits) {}

  // Elements [first, last); both are multiples of block_elements.  False if the bytes are not
  // there, or cannot be printed.
  bool run(uint64_t first, uint64_t last) {
    const uint64_t step = kPieceElements / type_.block_elements * type_.block_elements;
    for (uint64_t at = first; at < last; at += step) {
      if (!piece(at, std::min(step, last - at))) return false;
    }
    return true;
  }

 private:
  bool piece(uint64_t first, uint64_t count) {
    const uint64_t block_count = count / type_.block_elements;
    blocks_.resize(block_count * type_.block_bytes);
    values_.resize(count);
    const uint64_t at = reading_.data_start + tensor_.offset + first / type_.block_elements * type_.block_bytes;
    if (file_.read_at(at, blocks_.data(), blocks_.size()) != blocks_.size()) return false;
    if (reading_.layout.order == ByteOrder::big) swap_fields(*type_.codec, blocks_.data(), block_count);
    type_.codec->dequantize(blocks_.data(), values_.data(), count);
    std::string text;
    const BlockField& field = type_.codec->fields.front();
    for (uint64_t i = 0; i < count; ++i) {
      std::string exact;
      if (!bits_ && field.role == FieldRole::value) exact = exact_text(field.format, blocks_.data() + i * type_.block_bytes);
      if (bits_) text += fmt::format("{:08x}\n", std::bit_cast<uint32_t>(values_[i]));
      else text += exact.empty() ? fmt::format("{}\n", values_[i]) : exact + '\n';
    }
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  }

  const MappedFile& file_;
  const Reading& reading_;
  const TensorView& tensor_;
  const TensorType& type_;
  const bool bits_;
  std::vector<std::byte> blocks_;
  std::vector<float> values_;
};

}  // namespace

int verb_dump_tensor(int argc, char** argv) {
  std::vector<std::string> words;
  bool bits = false;
  std::string rows;
  Options options("dump-tensor", "FILE NAME [--bits] [--rows A:B]", "Prints the values of a tensor as the reference decodes them, one a line.");
  options.flag("bits", bits, "each value as the eight hexadecimal digits of its f32 bits");
  options.value("rows", rows, "A:B", "rows A to B - 1, counted from 0; either end may be left out");
  options.positional("FILE NAME", words, "the file and the tensor", 2, 2);
  options.note("I32, I64 and F64 are printed exactly, all other types as f32. Ends 0, or 2 if there is no such tensor or file.");
  if (const auto status = options.parse(argc, argv)) return *status;
  std::string error;
  const auto file = MappedFile::open(words[0], error);
  if (file == nullptr) return complain(words[0], error, kUsageError);
  const Reading reading = read(file->bytes());
  const TensorView* tensor = reading.find_tensor(words[1]);
  if (tensor == nullptr) return complain(words[0], "has no tensor '" + escape_terminal(words[1]) + "'; gguf-cts show lists them", kUsageError);
  const TensorType* type = find_tensor_type(tensor->type);
  if (!tensor->sized || type == nullptr || type->codec == nullptr) return complain(words[0], "the tensor's type or size is not known", kUsageError);
  const uint64_t row_count = tensor->dims[1] * tensor->dims[2] * tensor->dims[3];
  uint64_t first = 0, last = row_count;
  if (!rows.empty() && !parse_rows(rows, row_count, first, last)) {
    return options.usage_error(fmt::format("--rows is A:B with A <= B <= {}, the rows of the tensor", row_count));
  }
  const bool whole = Dump(*file, reading, *tensor, *type, bits).run(first * tensor->dims[0], last * tensor->dims[0]);
  if (!whole && !std::ferror(stdout)) return complain(words[0], "the bytes of the tensor are not all there", kUsageError);
  return 0;
}

}  // namespace gcts
