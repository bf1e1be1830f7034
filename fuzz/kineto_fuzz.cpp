// Feeds arbitrary bytes as a trace through the whole path. The bytes lie in an anonymous file in memory, so that the
// path is the one a user's file takes.
#include <sys/mman.h>
#include <unistd.h>

#include "whole_path.h"

namespace {

/// An anonymous file that holds the bytes of one input.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("trace", 0)) { cgpu::fuzz::require(descriptor_ >= 0, "memfd_create"); }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(const uint8_t* data, size_t size) {
    while (size > 0) {
      const ssize_t done = ::write(descriptor_, data, size);
      cgpu::fuzz::require(done > 0, "write");
      data += done;
      size -= static_cast<size_t>(done);
    }
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  MemoryFile file;
  file.write(data, size);
  cgpu::ReadOptions options;
  options.threads = 1 + size % 2;
  cgpu::fuzz::run_whole_path(file.path(), options);
  return 0;
}
