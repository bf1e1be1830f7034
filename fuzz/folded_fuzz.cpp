// Feeds arbitrary bytes as folded stacks, or as whatever they look like, through the whole path.
#include "memory_file.h"
#include "whole_path.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cgpu::fuzz::MemoryFile file(data, size);
  cgpu::ReadOptions options;
  options.threads = 1;
  if (size % 4 != 0) options.input_format = "folded";
  cgpu::fuzz::run_whole_path(file.path(), options);
  return 0;
}
