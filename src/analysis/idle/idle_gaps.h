// The gaps of a device, each split by cause: docs/definitions.md, "idle". One pass over the device ops in order of
// their starts, O(n) where they come so and O(n log n) where they must be sorted, and what HostCauses costs.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/idle/host_causes.h"

namespace cgpu {

/// Nanoseconds by IdleCause.
using TimeByCause = std::array<int64_t, kIdleCauses>;

/// A time in which no op of a device runs.
struct IdleGap {
  Interval time;          // on the run's clock
  OpIndex waking_op = 0;  // the op that ends the gap by starting
  TimeByCause times{};    // add up to the length of the gap
};

/// Calls visit(gap) for the gaps between `ops`, which are all of one device, in order of time. `host` is of the same
/// timeline.
void for_each_idle_gap(const Timeline& timeline, std::vector<OpIndex> ops, HostCauses& host,
                       const std::function<void(const IdleGap&)>& visit);

}  // namespace cgpu
