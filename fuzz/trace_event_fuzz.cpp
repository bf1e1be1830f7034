// Feeds arbitrary bytes as a trace through the whole path. The bytes lie in an anonymous file in memory, so that the
// path is the one a user's file takes.
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cgpu::fuzz::MemoryFile file(data, size);
  cgpu::ReadOptions options;
  options.threads = 1 + size % 2;
  cgpu::fuzz::run_whole_path(file.path(), options);
  return 0;
}
