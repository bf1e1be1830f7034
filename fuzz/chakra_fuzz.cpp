// Feeds arbitrary bytes as an execution trace of PyTorch or of Chakra, or as whatever they look like, through the whole
// path.
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cgpu::fuzz::MemoryFile file(data, size);
  cgpu::ReadOptions options;
  options.threads = 1;
  constexpr const char* kFormats[] = {"", "pytorch-et", "chakra"};  // "": it has to be recognised
  options.input_format = kFormats[size % 3];
  cgpu::fuzz::run_whole_path(file.path(), options);
  return 0;
}
