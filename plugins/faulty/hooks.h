// Where a deliberate bug can sit in a healthy reader or writer.
//
// A fault is a function that sets one hook, now and then two.  All hooks are empty in
// the healthy twin, which is then the reference itself.

#ifndef GCTS_PLUGINS_FAULTY_HOOKS_H_
#define GCTS_PLUGINS_FAULTY_HOOKS_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gcts/plugin.h"
#include "reference/finding.h"
#include "reference/gguf.h"
#include "reference/reader.h"
#include "reference/writer.h"

namespace gcts {

// Stands between a reader and the sink; passes everything on, and a fault overrides
// what it gets wrong.
class Reporter {
 public:
  explicit Reporter(const gcts_sink& to) : to_(to) {}
  virtual ~Reporter() = default;

  virtual void header(uint32_t version, int big_endian, uint32_t alignment);
  virtual void key(std::string_view key);
  virtual void scalars(uint32_t type, const void* values, uint64_t count);
  virtual void string(std::string_view value);
  virtual void array_begin(uint32_t element_type, uint64_t count);
  virtual void array_end();
  virtual void tensor(std::string_view name, uint32_t type, uint32_t rank, const uint64_t* dims, uint64_t offset,
                      const void* data, uint64_t size);

  gcts_sink sink();  // one that calls this object

 private:
  const gcts_sink& to_;
};

struct ReaderHooks {
  // Before anything is read; may decide by itself.
  std::function<std::optional<gcts_status>(std::span<const std::byte> file)> before;
  // What the reader takes the file for.
  std::function<void(Bytes& file)> misread;
  // What it takes from a right reading of a file.
  std::function<void(Reading& reading, std::span<const std::byte> file)> misunderstand;
  // How it puts the files of a set together.
  std::function<void(std::vector<Reading>& shards)> misjoin;
  // Findings that it does not make.
  std::function<bool(const Finding& finding, const Reading& reading)> overlook;
  // What it does when it has found the file invalid.
  std::function<std::optional<gcts_status>(const Finding& finding, std::span<const std::byte> file)> on_reject;
  // What it says of a valid file.
  std::function<std::unique_ptr<Reporter>(const gcts_sink& to)> reporter;

  // The commonest fault: a rule is not enforced.
  void ignore(rule::Index index);
  // A string value of a file is changed on its way.
  void change_strings(std::function<std::string(std::string_view)> change);
};

struct WriterHooks {
  // The model as the writer understands it.
  std::function<void(File& model)> misunderstand;
  // Refusals that it does not make: a finding on the bytes that it is about to put out.
  std::function<bool(const Finding& finding)> permit;
  // A request that no model can hold is made one, this way.
  std::function<void(const gcts_write_request& request, File& model)> force;
  // The bytes as written, with the map of their fields.
  std::function<void(Written& written, WriteStrategy strategy)> miswrite;
  // How the bytes are put out.
  std::function<bool(const Written& written, WriteStrategy strategy, const gcts_output& output)> put;
};

// The healthy reader and writer with the hooks that are set.
gcts_status read_with(const ReaderHooks& hooks, const gcts_read_request& request, const gcts_sink& sink);
gcts_status write_with(const WriterHooks& hooks, const gcts_write_request& request, const gcts_output& output);

}  // namespace gcts

#endif  // GCTS_PLUGINS_FAULTY_HOOKS_H_
