// The times in which a device communicated without computing.
#include <algorithm>

#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

/// Each is named after and derived from the communication op that had begun last. Names are ids of Timeline::names.
/// O(n log n) in the communication ops.
DerivedSlices exposed_communication(const Timeline& timeline, const std::vector<OpIndex>& ops,
                                    const IntervalSet& exposed) {
  std::vector<SliceIndex> slices;
  for (const OpIndex op : ops) {
    if (timeline.device_ops.kind[op] == OpKind::communication) slices.push_back(timeline.device_ops.slice[op]);
  }
  std::stable_sort(slices.begin(), slices.end(),
                   [&](SliceIndex a, SliceIndex b) { return timeline.slices.start[a] < timeline.slices.start[b]; });

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

class ExposedLane : public LaneSource {
 public:
  explicit ExposedLane(const LaneScope& scope) : scope_(scope) {}

  std::shared_ptr<const LaneSlices> slices(const ViewTrack& track) const override {
    return std::make_shared<LaneSlices>(exposed_communication(scope_.timeline_of(track), scope_.device_ops(track),
                                                              scope_.device_times(track).exposed_communication));
  }

  SliceStyle style(const ViewTrack& track, const LaneSlices& of, SliceIndex slice) const override {
    return {scope_.names().of(track.run, of.slices.name[slice]), colour_of(kind_)};
  }

  /// They are called like what they are made from.
  bool can_match(const ViewTrack&, const NameMatches& matches) const override {
    return matches.has(SliceKind::kernel) || matches.has(SliceKind::device_collective);
  }

 private:
  const LaneScope& scope_;
  uint8_t kind_ = slice_kind("exposed_communication");
};

}  // namespace

LaneDeclaration exposed_lane() {
  return {.kind = "exposed",
          .place = TrackPlace::of_device,
          .coverage = Coverage::communication,
          .slice_kinds = {{"exposed_communication", "communication"}},
          .list =
              [](TrackList& tracks, const ListedAt& at) {
                if (!at.of_device->communication) return;
                ViewTrack& track = tracks.add(tracks.name_of_device(*at.device), "exposed communication");
                track.device = at.device;
                track.lanes = 1;
              },
          .open = open_lane<ExposedLane>};
}

}  // namespace cgpu
