// Table `ranges`: host annotations by name, with the device work launched inside them. O(n + m d) for
// n slices and m device ops under d nested annotations.
#include <utility>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/common/merged_names.h"
#include "analysis/common/nesting.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct Range {
  int64_t count = 0;
  int64_t total_ns = 0;
  int64_t device_ns = 0;
  int64_t device_ops = 0;
  uint64_t last_op = UINT64_MAX;  // so that nested ranges of one name count an op once
};

bool is_range(const Timeline& timeline, SliceIndex slice) {
  return timeline.kind(slice) == SliceKind::annotation && is_plausible(timeline, slice);
}

}  // namespace

Table ranges_table(const Session& session, const AnalysisOptions&) {
  Table table{"ranges",
              "annotations of the host (NVTX, record_function, MSTX) by name",
              {text_column("name", "text of the annotation"), count_column("count", "annotations of this name"),
               time_column("total_ns", "sum of the durations on the host"),
               real_column("mean_ns", "ns", "mean duration on the host"),
               time_column("device_ns", "sum of the durations of the device ops launched inside"),
               count_column("device_ops", "device ops launched inside")}};

  MergedNames names;
  std::vector<Range> ranges;
  uint64_t visited = 0;
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    const Slices& slices = timeline.slices;
    names.enter(timeline.names);
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (!is_range(timeline, slice)) continue;
      Range& range = entry(ranges, names.number(slices.name[slice]));
      ++range.count;
      range.total_ns += slices.duration[slice];
    }
    // The annotation around each slice; annotations around annotations in their turn.
    const std::vector<SliceIndex> range_above =
        nearest_above(timeline.slices, [&](SliceIndex slice) { return is_range(timeline, slice); });
    for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
      ++visited;
      if (slices.launch[op] == kNone) return;
      for (SliceIndex at = range_above[slices.launch[op]]; at != kNone; at = range_above[at]) {
        Range& range = ranges[names.number(slices.name[at])];
        if (std::exchange(range.last_op, visited) == visited) continue;
        ++range.device_ops;
        range.device_ns += slices.duration[op];
      }
    });
  }
  for (StringId number = 0; number < ranges.size(); ++number) {
    const Range& range = ranges[number];
    if (range.count == 0) continue;
    table.append({cell(names.text(number)), range.count, range.total_ns,
                          static_cast<double>(range.total_ns) / static_cast<double>(range.count), range.device_ns,
                          range.device_ops});
  }
  sort_most_first(table, "total_ns");
  return table;
}

}  // namespace cgpu
