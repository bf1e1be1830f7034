// What `trtexec` of TensorRT writes: the times of layers (`--exportProfile`) and of runs (`--exportTimes`), as JSON.
// docs/formats/tensorrt.md.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::tensorrt {

bool is_profile(const Input& input);
/// Throws Error where no layer and no run can be read.
Run read_profile(const Input& input, const ReadOptions& options);

}  // namespace cgpu::tensorrt
