// A file that is being judged: mapped for reading, and watched for changes.
//
// A file that another program cuts short while it is mapped would kill the process
// with SIGBUS.  Here such a page reads as zeros instead, and changed() says so: the
// caller tells the user that the file changed and judges nothing.  Bulk data are
// read with pread(), which needs no such care.

#ifndef GCTS_HARNESS_MAPPED_FILE_H_
#define GCTS_HARNESS_MAPPED_FILE_H_

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace gcts {

class MappedFile {
 public:
  // Null and an explanation if the path cannot be opened, read or mapped, or is no
  // regular file.
  static std::unique_ptr<MappedFile> open(const std::string& path, std::string& error);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  uint64_t size() const { return bytes_.size(); }
  int descriptor() const { return descriptor_; }

  // Reads up to `size` bytes at `offset`; fewer only at the end of the file or after an error.
  size_t read_at(uint64_t offset, std::byte* out, size_t size) const;
  // True if the file is no longer what was opened: size, modification time, or a page gone.
  bool changed() const;

 private:
  MappedFile() = default;
  std::string path_;
  int descriptor_ = -1;
  struct stat opened_ = {};
  std::span<const std::byte> bytes_;
  size_t slot_ = 0;  // in the table that the SIGBUS handler looks through
};

}  // namespace gcts

#endif  // GCTS_HARNESS_MAPPED_FILE_H_
