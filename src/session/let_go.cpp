#include "session/let_go.h"

#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/session_clock.h"
#include "links/collective_series.h"
#include "links/window.h"

namespace cgpu {

namespace {

TimelineTotals totals_of(const Run& run) {
  const Timeline& timeline = run.timeline;
  TimelineTotals totals;
  totals.slices = static_cast<int64_t>(timeline.slices.size());
  totals.device_ops = static_cast<int64_t>(timeline.device_ops.size());
  totals.bytes = timeline.bytes();
  Interval time{INT64_MAX, INT64_MIN};
  for (SliceIndex i = 0; i < timeline.slices.size(); ++i) {
    time.begin = std::min(time.begin, timeline.slices.start[i]);
    time.end = std::max(time.end, timeline.slices.end(i));
  }
  if (time.begin <= time.end) totals.slices_time = time;
  totals.extent = extent_of(timeline);
  totals.event_extent = extent_of_events(timeline);
  totals.used_devices = used_devices(run);
  return totals;
}

/// By slice, whether it is part of a collective that other ranks take part in.
std::vector<bool> collectives_of(Run& run) {
  std::vector<bool> wanted(run.timeline.slices.size());
  Session alone;
  alone.runs.push_back(std::move(run));
  for (const auto& all : {device_collectives(alone), host_collectives(alone)}) {
    for (const CollectiveSeries& series : all) {
      for (const CollectiveMember& member : series.members) {
        for (const CollectivePart& part : member.parts) wanted[part.slice] = true;
      }
    }
  }
  run = std::move(alone.runs[0]);
  return wanted;
}

}  // namespace

void let_timeline_go(Run& run) {
  TimelineTotals totals = totals_of(run);
  const std::vector<bool> wanted = collectives_of(run);
  keep_only(run.timeline, [&](SliceIndex slice) { return wanted[slice]; });
  run.let_go = std::move(totals);
  run.arguments.reset();
}

}  // namespace cgpu
