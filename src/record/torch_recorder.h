// The Python modules that record PyTorch programs from inside (torch/), which travel in the binary.
#pragma once

#include <span>
#include <string_view>

namespace cgpu {

struct RecorderFile {
  std::string_view path;  // below the folder that is put on PYTHONPATH
  std::string_view text;
};

std::span<const RecorderFile> torch_recorder_files();

}  // namespace cgpu
