// When host threads poll although the device has nothing to do (docs/definitions/idle.md, "idle"): they ask whether the
// device is done, or sleep, again and again, and find no work.
//
// O(n) in the slices; O(m log m) in those of threads that poll.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/device/device_ops.h"
#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

struct Poll {
  SliceIndex call = kNone;  // the first of those in a row
  Interval time;            // in which no device op ran, and nothing else was recorded of the thread
};

/// Whether a host slice of this name asks whether the device is done, or sleeps.
bool is_poll(std::string_view name);

/// In order of thread and time.
std::vector<Poll> polls(const Timeline& timeline, DeviceBusyTime& busy_time);

}  // namespace cgpu
