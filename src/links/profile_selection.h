// Selecting some of the threads and streams (profiles) of a call tree, or some of the ranks in a run.
#pragma once

#include <cstdint>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// Keeps these profiles of a call tree, given by their numbers, ascending: values become sums over these profiles, or,
/// of a metric that is not additive, the largest. Reads the values of each profile.
void select_profiles(CallTree& tree, const std::vector<uint32_t>& profiles);

/// The ranks in one run, ascending: those that its profiles and tracks name.
std::vector<int64_t> ranks_inside(const Run& run);

/// Keeps the profiles and tracks of some of `ranks_inside`, and the tracks that name no rank. If it is only one, the
/// run is that rank's then.
void select_ranks_inside(Run& run, const std::vector<int64_t>& ranks);

}  // namespace cgpu
