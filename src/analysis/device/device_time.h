// When a device did what: the time of its device ops by kind, and what of it is left without the kinds above.
//
// compute + exposed_communication + exposed_memory + what is not busy make up the span
// (docs/definitions/device-time.md, "gpu_time"). O(n log n) in the device ops, O(n) where they come sorted.
#pragma once

#include <vector>

#include "analysis/device/device_ops.h"
#include "base/interval_set.h"

namespace cgpu {

struct DeviceTime {
  Interval span;  // from the first start to the last end
  IntervalSet busy;
  IntervalSet compute;
  IntervalSet communication;
  IntervalSet memory;
  IntervalSet exposed_communication;  // without compute
  IntervalSet exposed_memory;         // without compute and communication
};

/// `ops` are those of one device.
DeviceTime device_time(const Timeline& timeline, const std::vector<OpIndex>& ops);

}  // namespace cgpu
