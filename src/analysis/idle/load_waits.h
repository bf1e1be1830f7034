// Calls that waited while another thread of their process loaded device code (docs/definitions/idle.md, "idle"): the
// driver makes them wait until it has been loaded.
//
// O(n) in the slices; O(m log m) in the long calls of processes that load code.
#pragma once

#include <vector>

#include "analysis/device/device_ops.h"
#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

struct LoadWait {
  SliceIndex call = kNone;
  Interval time;  // in which the other thread loaded and no device op ran
};

std::vector<LoadWait> load_waits(const Timeline& timeline, DeviceBusyTime& busy_time);

}  // namespace cgpu
