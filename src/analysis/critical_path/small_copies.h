// The host's time for small copies: what would be gone with them if their data were packed into few.
#pragma once

#include <map>
#include <vector>

#include "analysis/session_facts.h"
#include "base/interval_set.h"

namespace cgpu {

struct SmallCopies {
  /// Of each run, by thread, on the run's clock: the calls that launch small copies between host and device, with the
  /// framework ops around them that launch nothing else.
  std::vector<std::map<TrackIndex, IntervalSet>> times;
  /// Of each run, by slice, whether it is such a copy; empty where the run has none.
  std::vector<std::vector<bool>> ops;
};

/// Those of less than `size` bytes; none where the session has fewer than `fewest`. O(slices + device ops times the
/// depth of their calls).
SmallCopies find_small_copies(const SessionFacts& whole, double size, double fewest);

}  // namespace cgpu
