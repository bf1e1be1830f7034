// Feeds arbitrary bytes as an Nsight Systems export through the whole path.
#include "shared_memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const cgpu::fuzz::SharedMemoryFile file("nsys", ".sqlite");
  cgpu::ReadOptions options;
  options.threads = 1;
  if (size % 2 == 0) options.input_format = "nsys-sqlite";  // else it has to be recognised
  cgpu::fuzz::run_whole_path(file.write(data, size), options);
  return 0;
}
