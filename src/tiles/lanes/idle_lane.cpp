#include "tiles/lanes/idle_lane.h"

#include <algorithm>
#include <utility>

#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

/// O(n) in the ops, which are sorted by start.
std::shared_ptr<IdleSlices> idle_slices(SessionIdle& gaps, size_t run, const Timeline& timeline,
                                        const std::vector<OpIndex>& ops) {
  auto idle = std::make_shared<IdleSlices>();
  idle->slices.reserve(ops.size());  // pages that are not used are never touched
  idle->part_begin.reserve(ops.size());
  idle->part_cause.reserve(ops.size());
  idle->part_ns.reserve(ops.size());
  std::vector<std::pair<int64_t, IdleCause>> parts;
  gaps.for_each_gap(run, ops, [&](const IdleGap& gap) {
    parts.clear();
    for (const IdleCause cause : gap.causes) parts.emplace_back(gap.times[static_cast<size_t>(cause)], cause);
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (const auto& [time, cause] : parts) {
      idle->part_cause.push_back(cause);
      idle->part_ns.push_back(time);
    }
    idle->part_begin.push_back(static_cast<uint32_t>(idle->part_cause.size()));
    idle->slices.add(gap.time, static_cast<uint32_t>(parts.front().second), timeline.device_ops.slice[gap.waking_op]);
  });
  return idle;
}

class IdleLane : public LaneSource {
 public:
  explicit IdleLane(LaneScope& scope) : scope_(scope), cause_names_(add_cause_names(scope.names())) {}

  std::shared_ptr<const LaneSlices> slices(const ViewTrack& track) const override {
    return idle_slices(scope_.facts().idle(), track.run, scope_.timeline_of(track), scope_.device_ops(track));
  }

  SliceStyle style(const ViewTrack&, const LaneSlices& of, SliceIndex slice) const override {
    const uint32_t cause = of.slices.name[slice];
    return {cause_names_[cause], colour_of(kind_, static_cast<uint8_t>(cause))};
  }

 private:
  const LaneScope& scope_;
  uint8_t kind_ = first_kind_of(idle_lane());
  std::vector<uint32_t> cause_names_;
};

}  // namespace

std::vector<uint32_t> add_cause_names(SharedNames& names) {
  std::vector<uint32_t> added;
  for (int cause = 0; cause < kIdleCauses; ++cause) {
    std::string text(text_of(static_cast<IdleCause>(cause)));
    std::replace(text.begin(), text.end(), '_', ' ');
    added.push_back(names.add(text));
  }
  return added;
}

const LaneDeclaration& idle_lane() {
  static const LaneDeclaration lane{
      .kind = ViewKind::idle,
      .place = TrackPlace::of_device,
      .slice_kinds = {"idle"},
      .is_made_first = true,  // needs none of the slices of other tracks
      .list =
          [](TrackList& tracks, const ListedAt& at) {
            ViewTrack& track = tracks.add(ViewKind::idle, tracks.name_of_device(*at.device), "idle");
            track.device = at.device;
            track.lanes = 1;
          },
      .open = [](LaneScope& scope) -> std::unique_ptr<LaneSource> { return std::make_unique<IdleLane>(scope); }};
  return lane;
}

}  // namespace cgpu
