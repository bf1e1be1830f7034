// Feeds arbitrary bytes as an Nsight Systems export through the whole path. SQLite opens files by name only, so the
// bytes lie in a file of shared memory.
#include <unistd.h>

#include <fstream>

#include "whole_path.h"

namespace {

/// One file a process, written again for every input and removed at the end.
class SharedMemoryFile {
 public:
  SharedMemoryFile() : path_("/dev/shm/cgpu-nsys-fuzz-" + std::to_string(::getpid()) + ".sqlite") {}
  ~SharedMemoryFile() { ::unlink(path_.c_str()); }
  SharedMemoryFile(const SharedMemoryFile&) = delete;
  SharedMemoryFile& operator=(const SharedMemoryFile&) = delete;

  const std::string& write(const uint8_t* data, size_t size) const {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    file.close();
    cgpu::fuzz::require(file.good(), "write");
    return path_;
  }

 private:
  std::string path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const SharedMemoryFile file;
  cgpu::ReadOptions options;
  options.threads = 1;
  if (size % 2 == 0) options.input_format = "nsys-sqlite";  // else it has to be recognised
  cgpu::fuzz::run_whole_path(file.write(data, size), options);
  return 0;
}
