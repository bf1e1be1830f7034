// How much memory a framework's allocator had given out on each device, from one of its events to the next.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

/// What holds from a moment on.
struct MemoryLevel {
  int64_t time = 0;       // ns on the run's clock
  int64_t allocated = 0;  // bytes
  int64_t reserved = -1;  // bytes; -1 where the profile does not say
};

struct DeviceMemory {
  /// Whether the profile says how much is allocated in all. Where it does not, `allocated` counts from the first event.
  bool states_totals = false;
  MemoryLevel before;               // until the first event
  std::vector<MemoryLevel> levels;  // in order of time

  /// What holds just before a moment.
  const MemoryLevel& just_before(int64_t time) const;
};

/// The allocator's events in order of time; at equal times in the order of the profile. O(n log n).
std::vector<MemoryEvent> memory_events_in_order(const Timeline& timeline);

/// By device (-1: the host). O(n log n) in the events.
std::map<int32_t, DeviceMemory> memory_of_devices(const Timeline& timeline);

}  // namespace cgpu
