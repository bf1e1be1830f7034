// What the devices of a side did in the compared time.
#pragma once

#include <cstdint>
#include <optional>

#include "comparison/alignment/alignment.h"

namespace cgpu {

class Comparison;

/// Of all devices in all iterations; times are in ns. compute, exposed_communication, exposed_memory and idle add up to
/// the time of the side, as in table gpu_time.
struct DeviceActivity {
  int64_t busy = 0;
  int64_t compute = 0;
  int64_t communication = 0;
  int64_t exposed_communication = 0;
  int64_t exposed_memory = 0;
  int64_t idle = 0;
  int64_t launches = 0;                      // calls that launched device work; 0 where the host is the device
  int64_t graph_launches = 0;                // of these calls those that replay a graph
  int64_t replayed = 0;                      // durations of what such calls launched, where the capture is not known
  std::optional<int64_t> copied_bytes = {};  // by copies whose size is known; absent where none is
};

/// O(n log n) in the device ops. Comparison::activity has it once for all.
DeviceActivity device_activity(const Comparison& comparison, Side side);

}  // namespace cgpu
