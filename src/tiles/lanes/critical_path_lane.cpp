// The critical path (docs/definitions/critical-path.md, "critical_path"), where it leads through a run.
#include "analysis/critical_path/edge_parts.h"
#include "analysis/critical_path/measured_path.h"
#include "base/once.h"
#include "tiles/lanes/idle_lane.h"
#include "tiles/lanes/lane_sources.h"
#include "tiles/timeline_view.h"

namespace cgpu {

namespace {

/// For each run, where the critical path of the session leads through it. A name is the number of what bounds the run
/// there (BoundBy, analysis/critical_path/edge_parts.h), the origin the device op or call that the part is about, kNone
/// for other time of the host. The session is no part of another. Costs what the table critical_path costs; 24 bytes a
/// part.
std::vector<std::shared_ptr<LaneSlices>> critical_path_slices(const SessionFacts& facts) {
  std::vector<std::shared_ptr<LaneSlices>> of_runs;
  for (size_t run = 0; run < facts.session().runs.size(); ++run) of_runs.push_back(std::make_shared<LaneSlices>());
  const DependencyGraph& graph = facts.dependencies();
  for_each_part_of_measured_path(
      facts, periods_of_session(facts), [&](const Period&, const EdgePart& part, EdgeKind, int64_t from, int64_t to) {
        if (from == to) return;
        DerivedSlices& slices = of_runs[part.run]->slices;
        const int64_t zero = graph.zero(part.run);
        const auto name = static_cast<uint32_t>(part.bound_by.number());
        const bool goes_on = slices.size() > 0 && slices.start.back() + slices.duration.back() == from + zero &&
                             slices.name.back() == name && slices.origin.back() == part.slice;
        if (goes_on) {
          slices.duration.back() += to - from;
        } else {
          slices.add({from + zero, to + zero}, name, part.slice);
        }
      });
  return of_runs;
}

class CriticalPathLane : public LaneSource {
 public:
  explicit CriticalPathLane(LaneScope& scope)
      : scope_(scope), cause_names_(add_cause_names(scope.names())), gap_name_(scope.names().add("kernel gap")) {}

  std::shared_ptr<const LaneSlices> slices(const ViewTrack& track) const override {
    return of_runs_.get([&] { return critical_path_slices(scope_.facts()); })[track.run];
  }

  /// Work of a device looks as it does in its stream, what the host did as gaps of that cause do.
  SliceStyle style(const ViewTrack& track, const LaneSlices& of, SliceIndex slice) const override {
    const SliceIndex about = of.slices.origin[slice];
    const std::optional<IdleCause> cause = BoundBy::cause_of(of.slices.name[slice]);
    SliceStyle style{gap_name_, colour_of(kind_)};
    if (about != kNone) style = scope_.style_of(track.run, about);
    if (!cause) return style;
    const auto number = static_cast<uint8_t>(*cause);
    return {about != kNone ? style.name : cause_names_[number], colour_of(idle_kind_, number)};
  }

  /// What bounds the run there.
  void describe(JsonTextWriter& json, const TimelineView& view, const SlicePosition& placed) const override {
    json.member("label", BoundBy::name_of(view.derived(placed.track)->name[placed.slice]));
  }

 private:
  const LaneScope& scope_;
  uint8_t kind_ = slice_kind("kernel_gap");
  uint8_t idle_kind_ = slice_kind("idle");
  std::vector<uint32_t> cause_names_;
  uint32_t gap_name_;
  mutable Once<std::vector<std::shared_ptr<LaneSlices>>> of_runs_;
};

}  // namespace

LaneDeclaration critical_path_lane() {
  return {.kind = "critical_path",
          .place = TrackPlace::of_run,
          .slice_kinds = {{"kernel_gap", "oklch(0.88 0.02 30)"}},
          .is_found_on_demand = true,
          .list =
              [](TrackList& tracks, const ListedAt&) {
                // The dependencies of a part of a session are those of the whole.
                if (tracks.is_part() || tracks.facts().ops.devices.empty()) return;
                tracks.add("Critical path", "critical path").lanes = 1;
              },
          .open = open_lane<CriticalPathLane>};
}

}  // namespace cgpu
