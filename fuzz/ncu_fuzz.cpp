// Feeds arbitrary bytes as an Nsight Compute report, as one of its CSV pages, as its plain text, or as whatever they
// look like, through the whole path. The bytes lie in an anonymous file in memory.
#include <array>

#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static constexpr std::array<const char*, 4> kFormats{"", "ncu-rep", "ncu-csv", "ncu-text"};
  const cgpu::fuzz::MemoryFile file(data, size);
  cgpu::ReadOptions options;
  options.threads = 1;
  options.input_format = kFormats[size % kFormats.size()];
  cgpu::fuzz::run_whole_path(file.path(), options);
  return 0;
}
