// Whether profiles that were opened together can be ranks of one run.
#pragma once

#include <vector>

#include "model/run.h"

namespace cgpu {

/// Throws an Error that names two of the runs and why they are not of one job:
///   - both were recorded by clocks that count from 1970, and there is more time between them than such clocks are
///   wrong
///     (a second on one machine, a minute where the machines are unknown, an hour between machines or between ranks
///     that name the same number of ranks);
///   - they name different numbers of ranks;
///   - the same profiler recorded the same rank on different devices.
/// Companions have been joined, ranks are as the profiles and their names say. O(n log n) in runs.
void check_that_runs_belong_together(const std::vector<Run>& runs);

}  // namespace cgpu
