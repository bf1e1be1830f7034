// The call paths of the samples of a track (call_paths.h), where the call tree knows their places.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tiles/call_paths.h"
#include "tiles/lanes/lane_source.h"

namespace cgpu {

/// The number of a kind of call tree node among slice_kind_names().
uint8_t slice_kind_of(NodeKind kind);

class CallPathLane : public LaneSource {
 public:
  explicit CallPathLane(LaneScope& scope);

  /// The boxes take memory once the track is opened; how many there are is known before.
  bool measure(ViewTrack& track) const override;
  /// CallPaths.
  std::shared_ptr<const LaneSlices> slices(const ViewTrack& track) const override;
  SliceStyle style(const ViewTrack& track, const LaneSlices& of, SliceIndex slice) const override;

  /// Calls visit(box, name, start) for each box of a track, on the run's clock, without keeping any.
  void for_each_box(const ViewTrack& track, const std::function<void(SliceIndex, uint32_t, int64_t)>& visit) const;
  /// By node of a run's call tree, the number of a frame's name; kNone for other nodes. Empty where the run has no such
  /// track.
  const std::vector<uint32_t>& frame_names(size_t run) const { return frame_names_[run]; }
  /// The frames of a run's call tree; null where the run has no such track.
  const Frames* frames(size_t run) const { return frames_[run].get(); }
  /// The place in the call tree at which a slice of the profile was recorded; kNoNode where it is not known.
  NodeIndex node_of(size_t run, SliceIndex slice) const;

 private:
  std::vector<PathSample> samples_of(const ViewTrack& track) const;
  void name_frames(size_t run, SharedNames& names);

  const LaneScope& scope_;
  std::vector<std::unique_ptr<Frames>> frames_;     // by run
  std::vector<std::vector<uint32_t>> frame_names_;  // by run and node
};

}  // namespace cgpu
