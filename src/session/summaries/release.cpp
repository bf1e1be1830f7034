#include "session/summaries/release.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/ranks/parallel_groups.h"
#include "analysis/session_clock.h"
#include "links/collective_series.h"

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
        for (const CollectivePart part : series.parts_of(member)) wanted[part.slice] = true;
      }
    }
  }
  run = std::move(alone.runs[0]);
  return wanted;
}

/// A timeline of these slices alone: their names, their device ops, and what the profile says of them as collectives.
/// Tracks and categories keep their numbers.
Timeline only(Timeline& whole, const std::vector<bool>& wanted) {
  Timeline kept;
  kept.categories = std::move(whole.categories);
  kept.tracks = std::move(whole.tracks);
  std::vector<SliceIndex> slices;
  std::vector<SliceIndex> place(wanted.size(), kNone);
  for (SliceIndex slice = 0; slice < wanted.size(); ++slice) {
    if (!wanted[slice]) continue;
    place[slice] = static_cast<SliceIndex>(slices.size());
    slices.push_back(slice);
  }
  kept.slices.append_from(whole.slices, slices);
  kept.slices.parent.assign(slices.size(), kNone);
  kept.slices.launch.assign(slices.size(), kNone);
  const auto name = [&](StringId id) { return kept.names.intern(whole.names[id]); };
  kept.slices.name.replace_each(name);

  std::vector<uint32_t> ops;
  for (uint32_t op = 0; op < whole.device_ops.size(); ++op) {
    if (wanted[whole.device_ops.slice[op]]) ops.push_back(op);
  }
  kept.device_ops.append_from(whole.device_ops, ops);
  for (SliceIndex& slice : kept.device_ops.slice) slice = place[slice];
  for (Collective collective : whole.collectives) {
    if (!wanted[collective.slice]) continue;
    collective.slice = place[collective.slice];
    collective.name = name(collective.name);
    collective.group = name(collective.group);
    collective.type = name(collective.type);
    kept.collectives.push_back(collective);
  }
  return kept;
}

}  // namespace

void release_timeline(Run& run) {
  TimelineTotals totals = totals_of(run);
  const std::vector<bool> wanted = collectives_of(run);
  run.timeline = only(run.timeline, wanted);
  run.released_totals = std::move(totals);
  run.arguments.reset();
  run.captured.clear();
  for (ParallelGroup& group : run.groups) {
    group.place = place_in(group, run);
    group.ranks = {};  // of thousands of ranks each would list all others
  }
  run.part_of.reset();
}

}  // namespace cgpu
