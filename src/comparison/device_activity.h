// What the devices of a side did in the compared time.
#pragma once

#include <cstdint>

#include "comparison/alignment.h"

namespace cgpu {

class Comparison;

/// ns of all devices in all iterations. compute, exposed_communication, exposed_memory and idle add up to the time of
/// the side, as in table gpu_time.
struct DeviceActivity {
  int64_t busy = 0;
  int64_t compute = 0;
  int64_t communication = 0;
  int64_t exposed_communication = 0;
  int64_t exposed_memory = 0;
  int64_t idle = 0;
};

/// O(n log n) in the device ops. Comparison::activity has it once for all.
DeviceActivity device_activity(const Comparison& comparison, Side side);

}  // namespace cgpu
