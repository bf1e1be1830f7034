// The iterations of a run.
#include <fmt/format.h>

#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

class StepsLane : public LaneSource {
 public:
  explicit StepsLane(LaneScope& scope) : scope_(scope) {
    for (size_t run = 0; run < scope.session().runs.size(); ++run) {
      std::vector<uint32_t>& names = names_.emplace_back();
      for (const Step& step : scope.facts().steps(run)) {
        names.push_back(scope.names().add(fmt::format("step {}", step.number)));
      }
    }
  }

  /// The name of a slice is that in the viewer.
  std::shared_ptr<const LaneSlices> slices(const ViewTrack& track) const override {
    auto made = std::make_shared<LaneSlices>();
    const std::vector<Step>& steps = scope_.facts().steps(track.run);
    for (size_t i = 0; i < steps.size(); ++i) made->slices.add(steps[i].time, names_[track.run][i], kNone);
    return made;
  }

  SliceStyle style(const ViewTrack&, const LaneSlices& of, SliceIndex slice) const override {
    return {of.slices.name[slice], colour_of(kind_)};
  }

 private:
  const LaneScope& scope_;
  uint8_t kind_ = slice_kind("step");
  std::vector<std::vector<uint32_t>> names_;  // by run and step
};

}  // namespace

LaneDeclaration steps_lane() {
  return {.kind = "steps",
          .place = TrackPlace::of_run,
          .slice_kinds = {{"step", "oklch(0.8 0.075 251)"}},
          .list =
              [](TrackList& tracks, const ListedAt&) {
                if (tracks.facts().steps) tracks.add("Iterations", "steps").lanes = 1;
              },
          .open = open_lane<StepsLane>};
}

}  // namespace cgpu
