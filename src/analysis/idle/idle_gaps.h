// The gaps of a device, each split by cause. docs/definitions.md, "idle". One pass over the device ops by start (sorted
// first where they do not come so), besides what HostCauses costs. The slow way it equals: subtract the union of the
// ops from their span, and look for the neighbours of each gap among all ops.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/idle/host_causes.h"

namespace cgpu {

/// ns by cause.
using TimeByCause = std::array<int64_t, kIdleCauses>;

/// No device op runs from the end of one to the start of the next, the waking op.
struct IdleGap {
  Interval time;  // on the run's clock
  OpIndex waking_op = 0;
  TimeByCause times{};  // adds up to the length
};

/// Calls visit(gap) for the gaps between the ops of one device, in order of time.
void for_each_idle_gap(const Timeline& timeline, std::vector<OpIndex> ops, HostCauses& host,
                       const std::function<void(const IdleGap&)>& visit);

}  // namespace cgpu
