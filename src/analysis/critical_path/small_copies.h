// The host's time for small copies: what would be gone with them if their data were packed into few.
#pragma once

#include <map>
#include <vector>

#include "analysis/session_facts.h"
#include "base/interval_set.h"

namespace cgpu {

/// Of each run, by thread, on the run's clock: the calls that launch copies of less than `size` bytes between host and
/// device, with the framework ops around them that launch nothing else. Empty where the session has fewer than `fewest`
/// such copies. O(slices + device ops times the depth of
/// their calls).
std::vector<std::map<TrackIndex, IntervalSet>> times_of_small_copies(const SessionFacts& whole, double size,
                                                                     double fewest);

}  // namespace cgpu
