// Table `memory`: what the allocator's events say of each device. O(n) in the events.
#include <algorithm>
#include <map>

#include "analysis/common/columns.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct Peaks {
  int64_t allocated = -1;
  int64_t reserved = -1;
  int64_t allocations = 0;
};

Cell known(int64_t bytes) {
  return bytes < 0 ? Cell() : Cell(bytes);
}

void append_memory(const RunInSession& run, Table& table) {
  std::map<int32_t, Peaks> devices;
  for (const MemoryEvent& event : run.timeline().memory) {
    Peaks& peaks = devices[event.device];
    peaks.allocated = std::max(peaks.allocated, event.total_allocated);
    peaks.reserved = std::max(peaks.reserved, event.total_reserved);
    if (event.bytes > 0) ++peaks.allocations;
  }
  for (const auto& [device, peaks] : devices) {
    table.append({run.run().rank, int64_t{device}, known(peaks.allocated), known(peaks.reserved), peaks.allocations});
  }
}

}  // namespace

Analysis memory_analysis() {
  return {.name = "memory",
          .about = "peaks of the framework's memory allocator on each device",
          .columns = {rank_column(), number_column("device", "number of the device, -1 for the host"),
                      bytes_column("peak_allocated_bytes", "largest total in use; absent where no event says"),
                      bytes_column("peak_reserved_bytes",
                                   "largest total held by the allocator; absent where no event says"),
                      count_column("allocations", "events that allocate")},
          .applies = [](const ProfileCounts& counts) { return counts.memory_events > 0; },
          .fold = fold_of<RowsByRun<append_memory>>};
}

}  // namespace cgpu
