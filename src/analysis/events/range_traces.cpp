// Table `range_trace`: annotations one by one, with what ran on the device for them. O(n log n + m d) for n slices and
// m device ops under d nested annotations.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/duration_table.h"
#include "analysis/common/merged_names.h"
#include "analysis/common/nesting.h"
#include "analysis/device/device_ops.h"
#include "analysis/session_clock.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

bool is_range(const Timeline& timeline, SliceIndex slice) {
  return timeline.kind(slice) == SliceKind::annotation && is_plausible(timeline, slice);
}

std::vector<SliceIndex> ranges_above(const Timeline& timeline) {
  return nearest_above(timeline.slices, [&](SliceIndex slice) { return is_range(timeline, slice); });
}

/// What a range contains.
struct Inside {
  int64_t children = 0;
  int64_t child_ns = 0;
  int64_t device_ops = 0;
  int64_t device_begin = INT64_MAX;
  int64_t device_end = INT64_MIN;
};

}  // namespace

Table range_trace_table(const Session& session, const AnalysisOptions&) {
  Table table{"range_trace",
              "every annotation of the host, in order of time, and what ran on the device for it",
              {rank_column(), time_column("start_ns", "from the start of the profile"),
               time_column("duration_ns", "length on the host"), text_column("name", "text of the annotation"),
               number_column("depth", "annotations around it"), count_column("children", "annotations directly in it"),
               time_column("child_ns", "sum of their durations"), time_column("self_ns", "duration without these"),
               count_column("device_ops", "device ops launched inside"),
               time_column("device_start_ns", "first start of these, from the start of the profile; absent for none"),
               time_column("device_ns", "from there to their last end; absent for none"),
               text_column("process", "process, as the profile says"), text_column("thread", "thread")}};
  const std::vector<int64_t> zeros = time_zeros(session);
  for (size_t r = 0; r < session.runs.size(); ++r) {
    const Run& run = session.runs[r];
    const Timeline& timeline = run.timeline;
    const Slices& slices = timeline.slices;
    const std::vector<SliceIndex> above = ranges_above(timeline);
    std::map<SliceIndex, Inside> inside;
    for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
      if (slices.launch[op] == kNone) return;
      for (SliceIndex at = above[slices.launch[op]]; at != kNone; at = above[at]) {
        Inside& range = inside[at];
        ++range.device_ops;
        range.device_begin = std::min(range.device_begin, slices.start[op]);
        range.device_end = std::max(range.device_end, slices.end(op));
      }
    });
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (!is_range(timeline, slice) || above[slice] == kNone) continue;
      ++inside[above[slice]].children;
      inside[above[slice]].child_ns += slices.duration[slice];
    }
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (!is_range(timeline, slice)) continue;
      int64_t depth = 0;
      for (SliceIndex at = above[slice]; at != kNone; at = above[at]) ++depth;
      const auto found = inside.find(slice);
      const Inside range = found == inside.end() ? Inside{} : found->second;
      const bool on_device = range.device_ops > 0;
      const Track& track = timeline.tracks[slices.track[slice]];
      table.append({run.rank, slices.start[slice] - zeros[r], slices.duration[slice], cell(timeline.name(slice)), depth,
                    range.children, range.child_ns, slices.duration[slice] - range.child_ns, range.device_ops,
                    on_device ? Cell(range.device_begin - zeros[r]) : Cell(),
                    on_device ? Cell(range.device_end - range.device_begin) : Cell(), track.process, track.thread});
    }
  }
  sort_by_start(table);
  return table;
}

}  // namespace cgpu
