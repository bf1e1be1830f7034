// The bytes of one input in a file of shared memory: SQLite opens files by name only.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include "whole_path.h"

namespace cgpu::fuzz {

/// One file a process, written again for every input and removed at the end.
class SharedMemoryFile {
 public:
  SharedMemoryFile(const std::string& name, const std::string& ending)
      : path_("/dev/shm/cgpu-" + name + "-fuzz-" + std::to_string(::getpid()) + ending) {}
  ~SharedMemoryFile() { ::unlink(path_.c_str()); }
  SharedMemoryFile(const SharedMemoryFile&) = delete;
  SharedMemoryFile& operator=(const SharedMemoryFile&) = delete;

  const std::string& write(const uint8_t* data, size_t size) const {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    file.close();
    require(file.good(), "write");
    return path_;
  }

 private:
  std::string path_;
};

}  // namespace cgpu::fuzz
