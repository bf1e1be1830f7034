// Table `launches`: the calls that start device work, and how long the work waits. O(n) in the slices, besides sorting
// the rows.
#include <algorithm>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/host/launch_calls.h"
#include "analysis/common/merged_names.h"
#include "analysis/common/statistics.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {
struct Launches {
  int64_t calls = 0;  // launching or not
  DurationStatistics durations;
  DurationStatistics delays;
};
}  // namespace

Table launches_table(const Session& session, const AnalysisOptions&) {
  Table table{"launches",
              "calls that start device work, and the delay from the end of the call to the first device op it started",
              {text_column("name", "name of the call"), count_column("count", "calls that launched a device op"),
               real_column("cpu_mean_ns", "ns", "mean duration of these calls"),
               real_column("delay_mean_ns", "ns", "mean delay, 0 where the device op starts before the call ends"),
               real_column("delay_median_ns", "ns", "median delay; of an even count the mean of the two middle ones"),
               time_column("delay_max_ns", "longest delay"),
               count_column("unlinked", "calls of this name without a device op in the profile")}};

  MergedNames names;
  std::vector<Launches> rows;
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    const Slices& slices = timeline.slices;
    names.enter(timeline.names);
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (is_call(timeline.kind(slice)) && is_plausible(timeline, slice)) {
        ++entry(rows, names.number(slices.name[slice])).calls;
      }
    }
    for (const LaunchingCall& launch : launching_calls(timeline)) {
      const int64_t first_start = slices.start[timeline.device_ops.slice[launch.first_op]];
      Launches& row = entry(rows, names.number(slices.name[launch.call]));
      row.durations.add(slices.duration[launch.call]);
      row.delays.add(std::max<int64_t>(0, first_start - slices.end(launch.call)));
    }
  }
  for (StringId number = 0; number < rows.size(); ++number) {
    const Launches& row = rows[number];
    const int64_t count = row.delays.count();
    if (count == 0) continue;
    table.append({cell(names.text(number)), count, row.durations.mean(), row.delays.mean(), row.delays.median(),
                          row.delays.max(), row.calls - count});
  }
  sort_most_first(table, "count");
  return table;
}

}  // namespace cgpu
