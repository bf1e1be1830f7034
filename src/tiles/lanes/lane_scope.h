// What the lanes of a session are made from: its tracks, its names and times in the viewer, and its device ops.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/session_facts.h"
#include "base/once.h"
#include "model/run.h"
#include "tiles/activity.h"
#include "tiles/shared_names.h"
#include "tiles/tile.h"
#include "tiles/view_tracks.h"

namespace cgpu {

/// The colour of a slice: its kind (lane_sources.h, slice_kinds) and a detail, such as the class of a kernel.
inline uint16_t colour_of(uint8_t kind, uint8_t detail = 0) {
  return static_cast<uint16_t>(kind << 8 | detail);
}

/// All functions that are const are thread-safe. The facts, and the session that they are of, must outlive it.
class LaneScope {
 public:
  /// `of_runs`: find_facts.
  LaneScope(const SessionFacts& facts, std::vector<RunFacts> of_runs);
  LaneScope(const LaneScope&) = delete;
  LaneScope& operator=(const LaneScope&) = delete;

  const SessionFacts& facts() const { return facts_; }
  const Session& session() const { return session_; }
  const Run& run_of(const ViewTrack& track) const { return session_.runs[track.run]; }
  const Timeline& timeline_of(const ViewTrack& track) const { return run_of(track).timeline; }
  const ViewTracks& tracks() const { return tracks_; }
  ViewTracks& tracks() { return tracks_; }
  const SharedNames& names() const { return names_; }
  /// To add to, before several threads use them.
  SharedNames& names() { return names_; }
  /// For each run, the time on its clock that is 0 in the viewer.
  const std::vector<int64_t>& zeros() const { return zeros_; }
  int64_t zero(size_t run) const { return zeros_[run]; }
  /// The last end of any slice, sample or instant, at least 1.
  int64_t span() const { return span_; }

  /// The ops of the device of a track, by start.
  const std::vector<OpIndex>& device_ops(const ViewTrack& track) const { return device_of(track).ops; }
  /// When the device of a track did what, on the run's clock. Found once.
  const DeviceTimes& device_times(const ViewTrack& track) const;
  /// The device op of a slice; kNone where it is none.
  OpIndex op_of(size_t run, SliceIndex slice) const;

  /// The slices of a track of the profile, ascending.
  std::vector<SliceIndex> slices_of(const ViewTrack& track) const;
  /// The look of a slice of the profile: the kind is its SliceKind, the detail the class of a device op.
  SliceStyle style_of(size_t run, SliceIndex slice) const;

 private:
  struct Device {
    std::vector<OpIndex> ops;
    mutable Once<DeviceTimes> times;
  };
  const Device& device_of(const ViewTrack& track) const { return devices_[track.run].at(*track.device); }

  const SessionFacts& facts_;
  const Session& session_;
  std::vector<int64_t> zeros_;
  int64_t span_ = 1;
  ViewTracks tracks_;
  SharedNames names_;
  std::vector<std::map<int32_t, Device>> devices_;                       // by run
  std::vector<std::vector<std::pair<SliceIndex, OpIndex>>> sorted_ops_;  // by run; only where the ops are not sorted
};

}  // namespace cgpu
