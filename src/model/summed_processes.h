// Notes on profiles whose figures are sums over what did not run as one job: readers write them, and the report begins
// with them.
#pragma once

namespace cgpu {

/// Counts processes that are no ranks.
inline constexpr const char* kSummedProcesses = "summed_processes";
/// Counts runs of the same ranks.
inline constexpr const char* kSummedRuns = "summed_runs";

}  // namespace cgpu
