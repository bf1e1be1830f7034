// What kernels are launched with, to tell more work from slower devices.
//
// Arguments are read from the profile again, of the first launches of each kernel alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "analysis/measured_launches/launch_shape.h"
#include "model/run.h"

namespace cgpu {

/// Launches of a kernel, and the grids and blocks of the first of them.
struct LaunchesOfKernel {
  int64_t launches = 0;
  std::map<LaunchShape, int64_t> shapes = {};
  bool operator==(const LaunchesOfKernel&) const = default;
};

/// By name, of the kernels of a run that compute, or of one device of it; absent where their grids are not recorded.
using LaunchedGrids = std::map<StringId, LaunchesOfKernel>;
std::optional<LaunchedGrids> launched_grids(const Run& run, std::optional<int32_t> device = {});

/// The threads of a launch on average, as many in later launches of a kernel as in the first ones; absent where there
/// are no launches, too.
std::optional<int64_t> threads_of_launch(const Run& run);

}  // namespace cgpu
