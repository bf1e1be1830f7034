// The bytes of one input in an anonymous file in memory, so that the path is the one a user's file takes.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "whole_path.h"

namespace cgpu::fuzz {

class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : descriptor_(memfd_create("profile", 0)) {
    require(descriptor_ >= 0, "memfd_create");
    while (size > 0) {
      const ssize_t done = ::write(descriptor_, data, size);
      require(done > 0, "write");
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

}  // namespace cgpu::fuzz
