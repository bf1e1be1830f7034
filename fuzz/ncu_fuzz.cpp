// Feeds arbitrary bytes as an Nsight Compute report, as one of its CSV pages, or as whatever they look like, through
// the whole path. The bytes lie in an anonymous file in memory.
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "whole_path.h"

namespace {

class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : descriptor_(memfd_create("profile", 0)) {
    cgpu::fuzz::require(descriptor_ >= 0, "memfd_create");
    while (size > 0) {
      const ssize_t done = ::write(descriptor_, data, size);
      cgpu::fuzz::require(done > 0, "write");
      data += done;
      size -= static_cast<size_t>(done);
    }
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static constexpr std::array<const char*, 3> kFormats{"", "ncu-rep", "ncu-csv"};
  const MemoryFile file(data, size);
  cgpu::ReadOptions options;
  options.threads = 1;
  options.input_format = kFormats[size % kFormats.size()];
  cgpu::fuzz::run_whole_path(file.path(), options);
  return 0;
}
