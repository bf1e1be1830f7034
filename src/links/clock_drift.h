// How much faster or slower one clock runs than another, by moments that are the same on both: the ends of collectives.
//
// The slope is the median of those between each moment and the one half of them later, as Theil's (1950) and Sen's
// (1968) but of n / 2 pairs and not of all. It counts where what remains with it is half of what remains without, or
// less: noise alone does not come to that. O(n log n).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// A moment on the clock in question, and by how much that is ahead of the other clock then; ns.
struct SameMoment {
  int64_t time = 0;
  int64_t ahead = 0;
};

/// The largest drift that is taken for real.
inline constexpr double kFastestClock = 0.1;

/// Of moments with is_time(time) and is_time(ahead). Nothing where there are fewer than 16 moments, or where their
/// distances scatter by less than 1 us, or as much with the drift taken out.
std::optional<RunClock::Drift> drift_of(std::vector<SameMoment> moments);

}  // namespace cgpu
