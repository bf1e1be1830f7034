// Annotations of the host as ranges on the device: from the first start to the last end of what was launched inside.
#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/common/nesting.h"
#include "analysis/host/launch_calls.h"
#include "tiles/lane_index.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

/// Of `ops`, by host annotation, which is what each is derived from. Names are ids of Timeline::names. O(n + m d) for m
/// ops inside d annotations each.
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

class RangesLane : public LaneSource {
 public:
  explicit RangesLane(const LaneScope& scope) : scope_(scope) {}

  std::shared_ptr<const LaneSlices> slices(const ViewTrack& track) const override {
    return std::make_shared<LaneSlices>(projected_ranges(scope_.timeline_of(track), scope_.device_ops(track)));
  }

  SliceStyle style(const ViewTrack& track, const LaneSlices& of, SliceIndex slice) const override {
    return {scope_.names().of(track.run, of.slices.name[slice]), colour_of(kind_)};
  }

  /// They are called like what they are made from.
  bool can_match(const ViewTrack&, const NameMatches& matches) const override {
    return matches.has(SliceKind::annotation);
  }

 private:
  const LaneScope& scope_;
  uint8_t kind_ = slice_kind("range");
};

void list_ranges(TrackList& tracks, const ListedAt& at) {
  const SliceFacts& facts = tracks.facts().slices;
  if (!facts.annotations || facts.projected || !at.of_device->launched) return;
  const DerivedSlices ranges = projected_ranges(tracks.run().timeline, at.of_device->ops);
  if (ranges.size() == 0) return;
  std::vector<SliceIndex> all(ranges.size());
  std::iota(all.begin(), all.end(), SliceIndex{0});
  ViewTrack& track = tracks.add(tracks.name_of_device(*at.device), "ranges");
  track.device = at.device;
  track.slices = ranges.size();
  track.lanes = count_lanes(SliceTimes(ranges.start, ranges.duration, 0), all, {});
}

}  // namespace

LaneDeclaration ranges_lane() {
  return {.kind = "ranges",
          .place = TrackPlace::of_device,
          .slice_kinds = {{"range", "annotation"}},
          .list = list_ranges,
          .open = open_lane<RangesLane>};
}

}  // namespace cgpu
