// Feeds arbitrary bytes as a log of an NCCL profiler plugin, or as whatever they look like, through the whole path.
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cgpu::fuzz::MemoryFile file(data, size);
  cgpu::ReadOptions options;
  options.threads = 1;
  if (size % 2 == 0) options.input_format = "nccl-profiler";  // else it has to be recognised
  cgpu::fuzz::run_whole_path(file.path(), options);
  return 0;
}
