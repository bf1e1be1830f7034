// The gaps of a device, each split by cause: docs/definitions/idle.md, "idle". One pass over the device ops in order of
// their starts, O(n) where they come so and O(n log n) where they must be sorted, and what HostCauses costs. The
// culprits cost O(log m) more for each part, and O(1) for each of the m host slices of the thread that lies in it.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/idle/host_causes.h"
#include "analysis/idle/idle_culprits.h"

namespace cgpu {

/// Nanoseconds by IdleCause.
using TimeByCause = std::array<int64_t, kIdleCauses>;

/// A time in which no op of a device runs.
struct IdleGap {
  Interval time;                       // on the run's clock
  OpIndex last_op = 0;                 // the op with whose end the gap begins: of several the one that starts first
  OpIndex waking_op = 0;               // the op that ends the gap by starting
  TimeByCause times{};                 // add up to the length of the gap
  std::vector<IdleCause> causes = {};  // those that have a time, in the order in which they come in the gap
};

using VisitGap = std::function<void(const IdleGap&)>;
using VisitParts = std::function<void(const IdleGap&, const std::vector<IdlePart>&)>;

/// Calls visit(gap) for the gaps between `ops`, which are all of one device, in order of time. `host` is of the same
/// timeline.
void for_each_idle_gap(const Timeline& timeline, const std::vector<OpIndex>& ops, HostCauses& host,
                       const VisitGap& visit);

/// The same with the parts of each gap, in order of time, each with its culprit. They fill the gap.
void for_each_idle_gap(const Timeline& timeline, const std::vector<OpIndex>& ops, HostCauses& host,
                       IdleCulprits& culprits, const VisitParts& visit);

}  // namespace cgpu
