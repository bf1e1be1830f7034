// Which of the first steps of a run are warm-up: allocation of memory, loading of code, choice of kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cgpu {

/// A step before all others that takes more than so many times the median step is warm-up.
inline constexpr double kWarmUp = 1.5;

/// How many of the steps with these durations (ns, in order), those that were cut short left out, are warm-up: fewer
/// than half of them, and none where there are fewer than three.
size_t count_warm_up(const std::vector<int64_t>& durations);

}  // namespace cgpu
