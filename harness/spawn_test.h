// Runs the built program as its user would, for the tests of the verbs.

#ifndef GCTS_HARNESS_SPAWN_TEST_H_
#define GCTS_HARNESS_SPAWN_TEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/gguf.h"

namespace gcts {

struct Ran {
  int status = -1;          // exit status; 128 + n where signal n ended it
  std::string out, err;
  long peak_kilobytes = 0;  // largest resident set
};

// Runs gguf-cts with these arguments; `input` goes to its standard input through a pipe.
// A program that takes longer than this many seconds is killed: status 128 + SIGALRM.
// `output`: what its standard output is, in place of Ran::out.
Ran run_program(const std::vector<std::string>& arguments, std::string_view input = {}, unsigned seconds = 300, int output = -1);

// A folder that goes with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string path(std::string_view name) const { return folder_ + "/" + std::string(name); }
  // Writes a file and returns its path.
  std::string write(std::string_view name, const Bytes& bytes) const;

 private:
  std::string folder_;
};

Bytes bytes_of_file(const std::string& path);
std::string_view as_text(const Bytes& bytes);

// The published model files that the facts come with; empty where they are not there.
std::vector<std::string> real_files();

// The types that have a reference quantizer, plain ones too.
std::vector<uint32_t> quantizable_types();

// A small valid model: an architecture, and a tensor of `elements` elements of each type given.
File sample_model(const std::vector<uint32_t>& types, uint64_t elements = 512);

}  // namespace gcts

#endif  // GCTS_HARNESS_SPAWN_TEST_H_
