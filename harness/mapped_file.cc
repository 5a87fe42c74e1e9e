// A file that is being judged; see mapped_file.h.

#include "harness/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>

namespace gcts {
namespace {

// What the SIGBUS handler needs: which addresses are ours.  A set of shards is
// mapped at once; more than this many files are mapped without protection.
struct Mapping {
  std::atomic<uintptr_t> begin{0}, end{0};
  std::atomic<bool> lost{false};  // a page of it was gone
};
constexpr size_t kMappings = 1024;
std::array<Mapping, kMappings> g_mappings;

void on_bus_error(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (Mapping& mapping : g_mappings) {
    if (address < mapping.begin.load() || address >= mapping.end.load()) continue;
    void* at = reinterpret_cast<void*>(address / page * page);
    if (mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
    mapping.lost = true;
    return;
  }
  std::signal(SIGBUS, SIG_DFL);  // not ours: the access is repeated and ends the process
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGBUS, &action, nullptr);
  });
}

size_t claim_slot(std::span<const std::byte> bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  for (size_t i = 0; i < kMappings; ++i) {
    uintptr_t vacant = 0;
    if (!g_mappings[i].begin.compare_exchange_strong(vacant, begin)) continue;
    g_mappings[i].lost = false;
    g_mappings[i].end = begin + bytes.size();
    return i;
  }
  return kMappings;
}

}  // namespace

std::unique_ptr<MappedFile> MappedFile::open(const std::string& path, std::string& error) {
  std::unique_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  file->slot_ = kMappings;
  file->descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO must not block
  if (file->descriptor_ < 0 || fstat(file->descriptor_, &file->opened_) != 0) {
    error = std::strerror(errno);
    return nullptr;
  }
  if (!S_ISREG(file->opened_.st_mode)) {
    error = S_ISDIR(file->opened_.st_mode) ? "is a directory" : "is not a regular file (give - to read standard input)";
    return nullptr;
  }
  if (file->opened_.st_size == 0) return file;
  const auto size = static_cast<size_t>(file->opened_.st_size);
  void* at = mmap(nullptr, size, PROT_READ, MAP_SHARED, file->descriptor_, 0);
  if (at == MAP_FAILED) {
    error = std::string("cannot be mapped: ") + std::strerror(errno);
    return nullptr;
  }
  file->bytes_ = {static_cast<const std::byte*>(at), size};
  install_handler();
  file->slot_ = claim_slot(file->bytes_);
  return file;
}

MappedFile::~MappedFile() {
  if (slot_ < kMappings) {
    g_mappings[slot_].end = 0;
    g_mappings[slot_].begin = 0;
  }
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  if (descriptor_ >= 0) close(descriptor_);
}

size_t MappedFile::read_at(uint64_t offset, std::byte* out, size_t size) const {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(descriptor_, out + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

bool MappedFile::changed() const {
  struct stat current = {};
  if (slot_ < kMappings && g_mappings[slot_].lost) return true;
  return fstat(descriptor_, &current) != 0 || current.st_size != opened_.st_size ||
         current.st_mtim.tv_sec != opened_.st_mtim.tv_sec || current.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec;
}

}  // namespace gcts
