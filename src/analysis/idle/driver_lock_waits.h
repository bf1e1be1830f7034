// Launch calls that waited for a lock of the driver, which the threads of a process share (docs/definitions/idle.md,
// "idle"): calls that overlap launch calls of other threads take several times as long as those that do not.
//
// O(n log n) in the launch calls of processes in which several threads launch.
#pragma once

#include <vector>

#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

struct DriverLockWait {
  SliceIndex call = kNone;
  Interval time;  // from its begin: what it took longer than calls of its name without another thread take
};

/// `calls`: the calls of plausible duration that name no cause.
std::vector<DriverLockWait> driver_lock_waits(const Timeline& timeline, const std::vector<SliceIndex>& calls);

}  // namespace cgpu
