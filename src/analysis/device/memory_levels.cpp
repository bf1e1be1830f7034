#include "analysis/device/memory_levels.h"

#include <algorithm>
#include <iterator>

namespace cgpu {

const MemoryLevel& DeviceMemory::just_before(int64_t time) const {
  const auto next =
      std::partition_point(levels.begin(), levels.end(), [&](const MemoryLevel& level) { return level.time < time; });
  return next == levels.begin() ? before : *std::prev(next);
}

std::vector<MemoryEvent> memory_events_in_order(const Timeline& timeline) {
  std::vector<MemoryEvent> events = timeline.memory;
  std::stable_sort(events.begin(), events.end(),
                   [](const MemoryEvent& a, const MemoryEvent& b) { return a.time < b.time; });
  return events;
}

std::map<int32_t, DeviceMemory> memory_of_devices(const Timeline& timeline) {
  const std::vector<MemoryEvent> events = memory_events_in_order(timeline);
  std::map<int32_t, DeviceMemory> devices;
  for (const MemoryEvent& event : events) {
    // The host's total is that of the event alone where the allocator does not count (PyTorch's CPU allocator).
    if (event.device >= 0 && event.total_allocated >= 0) devices[event.device].states_totals = true;
  }
  for (const MemoryEvent& event : events) {
    DeviceMemory& memory = devices[event.device];
    if (!memory.states_totals) {
      const int64_t allocated = memory.levels.empty() ? 0 : memory.levels.back().allocated;
      memory.levels.push_back({event.time, allocated + event.bytes, -1});
    } else if (event.total_allocated >= 0) {
      if (memory.levels.empty()) memory.before.allocated = std::max<int64_t>(event.total_allocated - event.bytes, 0);
      memory.levels.push_back({event.time, event.total_allocated, event.total_reserved});
    }
  }
  return devices;
}

}  // namespace cgpu
