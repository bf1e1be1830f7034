// Table `memory_steps`: what the framework's memory allocator gave out in each iteration. O(n log n) in its events.
#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/memory_levels.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct Requests {
  int64_t count = 0;
  int64_t bytes = 0;
};

/// What each device was asked for between two moments; `events` are in order of time.
std::map<int32_t, Requests> requests_in(const std::vector<MemoryEvent>& events, const Interval& time) {
  std::map<int32_t, Requests> requests;
  auto event = std::partition_point(events.begin(), events.end(),
                                    [&](const MemoryEvent& each) { return each.time < time.begin; });
  for (; event != events.end() && event->time < time.end; ++event) {
    if (event->bytes <= 0) continue;
    ++requests[event->device].count;
    requests[event->device].bytes += event->bytes;
  }
  return requests;
}

MemoryLevel peak_in(const DeviceMemory& memory, const Interval& time) {
  MemoryLevel peak = memory.just_before(time.begin);
  auto level = std::partition_point(memory.levels.begin(), memory.levels.end(),
                                    [&](const MemoryLevel& each) { return each.time < time.begin; });
  for (; level != memory.levels.end() && level->time < time.end; ++level) {
    peak.allocated = std::max(peak.allocated, level->allocated);
    peak.reserved = std::max(peak.reserved, level->reserved);
  }
  return peak;
}

void append_memory_steps(const RunInSession& run, Table& table) {
  const std::map<int32_t, DeviceMemory> devices = memory_of_devices(run.timeline());
  if (devices.empty()) return;
  const std::vector<MemoryEvent> events = memory_events_in_order(run.timeline());
  const Slices& slices = run.timeline().slices;
  for (const Step& step : run.facts.steps(run.index)) {
    // As the host sees it: the allocator is asked before the device works.
    const Interval time{slices.start[step.mark], slices.end(step.mark)};
    std::map<int32_t, Requests> requests = requests_in(events, time);
    for (const auto& [device, memory] : devices) {
      const int64_t before = memory.just_before(time.begin).allocated;
      const int64_t after = memory.just_before(time.end).allocated;
      const MemoryLevel peak = peak_in(memory, time);
      const bool states_totals = memory.states_totals;
      const auto stated = [&](int64_t bytes) { return states_totals ? Cell(bytes) : Cell(); };
      table.append({run.run().rank, step.number, int64_t{device}, time.begin, stated(before), stated(peak.allocated),
                    peak.reserved < 0 ? Cell() : Cell(peak.reserved), after - before, requests[device].count,
                    requests[device].bytes});
    }
  }
}

}  // namespace

Analysis memory_steps_analysis() {
  return {.name = "memory_steps",
          .about = "what the framework's memory allocator gave out in each iteration: its peak, and what stayed behind",
          .columns = {rank_column(), number_column("step", "number of the iteration"),
                      number_column("device", "number of the device, -1 for the host"),
                      moment_column("start_ns", "start of the iteration's mark"),
                      bytes_column("allocated_bytes",
                                   "allocated in all when it begins; absent where no event states totals"),
                      bytes_column("peak_allocated_bytes",
                                   "most that is allocated in it; absent where no event states totals"),
                      bytes_column("peak_reserved_bytes",
                                   "most that the allocator holds of the device in it; absent where no event says"),
                      bytes_column("growth_bytes", "allocated in it and not released by its end"),
                      count_column("allocations", "events that allocate"),
                      bytes_column("requested_bytes", "sum of what these allocate, whether it is released or not")},
          .applies = [](const ProfileCounts& counts) { return counts.memory_events > 0; },
          .needs = "events of the memory allocator, and marks of iterations",
          .fold = fold_of<RowsByRun<append_memory_steps>>};
}

}  // namespace cgpu
