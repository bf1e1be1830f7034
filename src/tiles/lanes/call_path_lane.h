// The call paths of the samples of a track (call_paths.h), where the call tree knows their places.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tiles/call_paths.h"
#include "tiles/lanes/lane_source.h"

namespace cgpu {

/// The number of a kind of call tree node among slice_kinds().
uint8_t slice_kind_of(NodeKind kind);

class CallPathLane : public LaneSource {
 public:
  explicit CallPathLane(LaneScope& scope);

  /// The boxes take memory once the track is opened; how many there are is known before.
  bool measure(ViewTrack& track) const override;
  /// CallPaths.
  std::shared_ptr<const LaneSlices> slices(const ViewTrack& track) const override;
  SliceStyle style(const ViewTrack& track, const LaneSlices& of, SliceIndex slice) const override;

  bool can_match(const ViewTrack& track, const NameMatches& matches) const override;
  bool for_each_name(const ViewTrack& track, const Visit& visit) const override;

  /// The node, the number of samples, and the stack: the boxes above it.
  void describe(JsonTextWriter& json, const TimelineView& view, const SlicePosition& box) const override;
  /// Of a sample its node, and the stack: the boxes that it is in.
  bool describe_source(JsonTextWriter& json, const TimelineView& view, size_t run, SliceIndex slice) const override;

  /// The place in the call tree at which a slice of the profile was recorded; kNoNode where it is not known.
  NodeIndex node_of(size_t run, SliceIndex slice) const;
  /// The innermost box that a slice of the profile is a sample of.
  std::optional<SlicePosition> innermost_box(const TimelineView& view, size_t run, SliceIndex slice) const;

 private:
  std::vector<PathSample> samples_of(const ViewTrack& track) const;
  void name_frames(size_t run, SharedNames& names);

  const LaneScope& scope_;
  std::vector<std::unique_ptr<Frames>> frames_;     // by run
  std::vector<std::vector<uint32_t>> frame_names_;  // by run and node
  std::vector<std::vector<uint32_t>> called_;       // by run, each of these names once
};

}  // namespace cgpu
