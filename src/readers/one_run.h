// Whether profiles that were opened together can be ranks of one run.
#pragma once

#include <vector>

#include "model/run.h"

namespace cgpu {

/// Throws an Error that names two of the runs and why they are not of one job:
///   - they say that they are of different programs, or of different jobs of a batch system;
///   - they say when they ran (by clocks that count from 1970, or by the launch date in the header), and there is more
///     time between them than such clocks are wrong (a second on one machine, a minute where the machines are unknown,
///     an hour between machines or between ranks that name the same number of ranks; a second between databases of
///     HPCToolkit, each of which holds all processes of a run);
///   - they name different numbers of ranks, or both are of a job of one;
///   - the same profiler recorded the same rank on different devices;
///   - both have call trees, and no function is in both.
/// What a profile does not say is no reason.
/// Companions have been joined, ranks are as the profiles and their names say. O(n log n) in runs, and over the nodes
/// of call trees.
void check_that_runs_belong_together(const std::vector<Run>& runs);

}  // namespace cgpu
