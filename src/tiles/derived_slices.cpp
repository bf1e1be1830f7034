#include "tiles/derived_slices.h"

#include <algorithm>
#include <utility>

#include "analysis/common/nesting.h"
#include "analysis/host/launch_calls.h"

namespace cgpu {

namespace {

/// Slices in order of the starts, the earlier in the file first.
void sort_by_start(const Timeline& timeline, std::vector<SliceIndex>& slices) {
  std::stable_sort(slices.begin(), slices.end(),
                   [&](SliceIndex a, SliceIndex b) { return timeline.slices.start[a] < timeline.slices.start[b]; });
}

}  // namespace

DerivedSlices exposed_communication(const Timeline& timeline, const std::vector<OpIndex>& ops,
                                    const IntervalSet& exposed) {
  std::vector<SliceIndex> slices;
  for (const OpIndex op : ops) {
    if (timeline.device_ops.kind[op] == OpKind::communication) slices.push_back(timeline.device_ops.slice[op]);
  }
  sort_by_start(timeline, slices);

  DerivedSlices derived;
  auto begun = slices.begin();  // the first op that has not begun yet
  for (const Interval& time : exposed.intervals()) {
    while (begun != slices.end() && timeline.slices.start[*begun] <= time.begin) ++begun;
    auto about = begun - 1;
    while (about != slices.begin() && timeline.slices.end(*about) <= time.begin) --about;
    derived.add(time, timeline.slices.name[*about], *about);
  }
  return derived;
}

DerivedSlices projected_ranges(const Timeline& timeline, const std::vector<OpIndex>& ops) {
  const Slices& slices = timeline.slices;
  const auto is_range = [&](SliceIndex slice) {
    return timeline.kind(slice) == SliceKind::annotation && is_plausible(timeline, slice);
  };
  const std::vector<SliceIndex> range_above = nearest_above(slices, is_range);
  std::vector<std::pair<SliceIndex, Interval>> found;
  for (const OpIndex op : ops) {
    const SliceIndex slice = timeline.device_ops.slice[op];
    const SliceIndex call = launch_of(timeline, slice);
    if (call == kNone) continue;
    for (SliceIndex at = range_above[call]; at != kNone; at = range_above[at]) {
      found.emplace_back(at, Interval{slices.start[slice], slices.end(slice)});
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::pair<SliceIndex, Interval>> ranges;
  for (const auto& [range, time] : found) {
    if (ranges.empty() || ranges.back().first != range) {
      ranges.emplace_back(range, time);
    } else {
      Interval& whole = ranges.back().second;
      whole = {std::min(whole.begin, time.begin), std::max(whole.end, time.end)};
    }
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
    const Interval& x = a.second;
    const Interval& y = b.second;
    return x.begin != y.begin ? x.begin < y.begin : x.end > y.end;
  });
  DerivedSlices derived;
  for (const auto& [range, time] : ranges) derived.add(time, slices.name[range], range);
  return derived;
}

IdleSlices idle_slices(SessionIdle& gaps, size_t run, const Timeline& timeline, const std::vector<OpIndex>& ops) {
  IdleSlices idle;
  idle.slices.reserve(ops.size());  // pages that are not used are never touched
  idle.part_begin.reserve(ops.size());
  idle.part_cause.reserve(ops.size());
  idle.part_ns.reserve(ops.size());
  std::vector<std::pair<int64_t, IdleCause>> parts;
  gaps.for_each_gap(run, ops, [&](const IdleGap& gap) {
    parts.clear();
    for (const IdleCause cause : gap.causes) parts.emplace_back(gap.times[static_cast<size_t>(cause)], cause);
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (const auto& [time, cause] : parts) {
      idle.part_cause.push_back(cause);
      idle.part_ns.push_back(time);
    }
    idle.part_begin.push_back(static_cast<uint32_t>(idle.part_cause.size()));
    idle.slices.add(gap.time, static_cast<uint32_t>(parts.front().second), timeline.device_ops.slice[gap.waking_op]);
  });
  return idle;
}

}  // namespace cgpu
