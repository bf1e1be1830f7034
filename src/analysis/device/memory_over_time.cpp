// Table `memory_over_time`: the memory of each device in buckets of equal length. O(n log n) in the events and the
// buckets.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/common/buckets.h"
#include "analysis/common/columns.h"
#include "analysis/device/memory_levels.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

void append_memory_buckets(const RunInSession& run, const TableOptions& options, Table& table) {
  const std::vector<MemoryEvent>& events = run.timeline().memory;
  if (events.empty()) return;
  const auto is_before = [](const MemoryEvent& a, const MemoryEvent& b) { return a.time < b.time; };
  const auto [first, last] = std::minmax_element(events.begin(), events.end(), is_before);
  const auto devices = memory_of_devices(run.timeline());
  const std::vector<int64_t> bounds = bounds_of({first->time, last->time + 1}, bucket_count(options, devices.size()));
  for (const auto& [device, memory] : devices) {
    const bool states_totals = memory.states_totals;
    const auto stated = [&](int64_t bytes) { return states_totals ? Cell(bytes) : Cell(); };
    MemoryLevel now = memory.before;
    auto level = memory.levels.begin();
    for (size_t bucket = 0; bucket + 1 < bounds.size(); ++bucket) {
      MemoryLevel most = now;
      int64_t least = now.allocated;
      for (; level != memory.levels.end() && level->time < bounds[bucket + 1]; ++level) {
        now = *level;
        most.allocated = std::max(most.allocated, now.allocated);
        most.reserved = std::max(most.reserved, now.reserved);
        least = std::min(least, now.allocated);
      }
      table.append({run.run().rank, int64_t{device}, static_cast<int64_t>(bucket), bounds[bucket],
                    bounds[bucket + 1] - bounds[bucket], stated(least), stated(most.allocated),
                    most.reserved < 0 ? Cell() : Cell(most.reserved), now.allocated - memory.before.allocated});
    }
  }
}

}  // namespace

Analysis memory_over_time_analysis() {
  return {.name = "memory_over_time",
          .about = "what the framework's memory allocator has given out over time, in buckets of equal length",
          .columns = {rank_column(), number_column("device", "number of the device, -1 for the host"),
                      number_column("bucket", "number of the bucket, from 0"),
                      moment_column("start_ns", "where the bucket begins"),
                      time_column("duration_ns", "length of the bucket"),
                      bytes_column("least_allocated_bytes",
                                   "least that is allocated in it; absent where no event states totals"),
                      bytes_column("peak_allocated_bytes",
                                   "most that is allocated in it; absent where no event states totals"),
                      bytes_column("peak_reserved_bytes",
                                   "most that the allocator holds of the device in it; absent where no event says"),
                      bytes_column("growth_bytes", "allocated at its end beyond what was before the first event")},
          .options = {buckets_option()},
          .applies = [](const ProfileCounts& counts) { return counts.memory_events > 0; },
          .needs = "events of the memory allocator",
          .fold = fold_of<RowsByRun<append_memory_buckets>>};
}

}  // namespace cgpu
