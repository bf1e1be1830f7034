// A part of a run: what some of the threads and streams that its call tree is of did.
#pragma once

#include <cstdint>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// Keeps these profiles of a call tree, by their number, ascending: values are sums over them alone. A setting, which
/// does not add up, is the largest. Reads the values of each.
void select_profiles(CallTree& tree, const std::vector<uint32_t>& profiles);

/// The ranks that one run holds, ascending: those of the profiles and tracks that name one.
std::vector<int64_t> ranks_inside(const Run& run);

/// Keeps what one of `ranks_inside` did: its profiles and its tracks. Tracks that name no rank stay. The run is that
/// rank's from then on.
void select_rank_inside(Run& run, int64_t rank);

}  // namespace cgpu
