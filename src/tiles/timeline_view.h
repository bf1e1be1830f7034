// A session as the viewer shows it: tracks, their tiles, and the place of each slice.
//
// The constructor looks at every slice (tracks, steps, lanes), on several threads. The index of a track, which costs
// memory, is built when the track is first asked for and then kept; those of the first twenty tracks are built at once.
// All functions but the constructor are thread-safe; the facts, and the session that they are of, must outlive the
// view. Times are ns from the start of the session.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/session_facts.h"
#include "base/once.h"
#include "model/run.h"
#include "tiles/activity.h"
#include "tiles/call_paths.h"
#include "tiles/counter_index.h"
#include "tiles/derived_slices.h"
#include "tiles/lane_index.h"
#include "tiles/layer_slices.h"
#include "tiles/shared_names.h"
#include "tiles/tile.h"
#include "tiles/view_tracks.h"

namespace cgpu {

/// The place of a slice in the viewer.
struct SlicePosition {
  ViewTrackId track = kNone;
  SliceIndex slice = kNone;
  uint32_t lane = 0;
  int64_t start = 0;
  int64_t duration = 0;
  uint32_t name = 0;
};

class TimelineView {
 public:
  using Progress = std::function<void(double)>;
  /// `threads`: 0 for one per processor. `progress` is called by one thread at a time with the share of the tracks that
  /// have been laid out.
  explicit TimelineView(const SessionFacts& facts, unsigned threads = 0, const Progress& progress = nullptr);
  ~TimelineView();
  TimelineView(const TimelineView&) = delete;
  TimelineView& operator=(const TimelineView&) = delete;

  const Session& session() const { return session_; }
  const std::vector<ViewTrack>& tracks() const { return tracks_.all(); }
  const SharedNames& names() const { return names_; }
  /// For each run, the time on its clock that is 0 here.
  const std::vector<int64_t>& zeros() const { return zeros_; }
  int64_t zero(size_t run) const { return zeros_[run]; }
  /// The last end of any slice, sample or instant, at least 1.
  int64_t span() const { return span_; }

  /// The names of the kinds that the high byte of a colour numbers: of slices, of derived slices and of call tree
  /// nodes.
  static std::vector<std::string> kinds();
  /// The number of a kind of call tree node among them.
  static uint8_t kind_of(NodeKind kind);

  /// Whether a track has slices; the others are drawn from counter or activity tiles.
  bool has_slices(ViewTrackId track) const;
  std::string tile(ViewTrackId track, const TilePlace& place) const;
  std::string counter_tile(ViewTrackId track, const TilePlace& place) const;
  std::string activity_tile(ViewTrackId track, const TilePlace& place) const;

  /// The lanes of a track that has slices, and their times.
  const LaneIndex& lanes(ViewTrackId track) const;
  SliceTimes times(ViewTrackId track) const;
  SliceStyle style(ViewTrackId track, SliceIndex slice) const;
  /// What bounds the run in a slice of a track of kind critical_path ("compute", "data_loading", ...).
  std::string_view bound_by(ViewTrackId track, SliceIndex slice) const;

  /// The place of a slice of a track; empty if the track has no such slice.
  std::optional<SlicePosition> find(ViewTrackId track, SliceIndex slice) const;
  /// The track of a slice of the profile, and its place there.
  ViewTrackId track_of(size_t run, SliceIndex slice) const { return tracks_.of(session_, run, slice); }
  SlicePosition place(size_t run, SliceIndex slice) const;

  /// The derived slices of a track; null for a track of the profile.
  const DerivedSlices* derived(ViewTrackId track) const;
  /// The gaps of a track of kind idle.
  const IdleSlices& idle(ViewTrackId track) const;
  /// The boxes of a track of kind call_path.
  const CallPaths& call_paths(ViewTrackId track) const;
  /// Calls visit(box, name, start) for each of them, on the run's clock, without keeping any.
  void for_each_box(ViewTrackId track, const std::function<void(SliceIndex, uint32_t, int64_t)>& visit) const;
  /// By node of a run's call tree, the number of a frame's name; kNone for other nodes. Empty where the run has no
  /// track of kind call_path.
  const std::vector<uint32_t>& frame_names(size_t run) const { return frame_names_[run]; }
  /// The place in the call tree at which a slice of the profile was recorded; kNoNode where it is not known.
  NodeIndex node_of(size_t run, SliceIndex slice) const;
  /// The innermost box that a slice of the profile is a sample of.
  std::optional<SlicePosition> innermost_box(size_t run, SliceIndex slice) const;
  /// The device op of a slice; kNone where it is none.
  OpIndex op_of(size_t run, SliceIndex slice) const;

  /// The samples of a counter, in any order.
  std::vector<CounterIndex::Sample> samples_of(const ViewTrack& track) const;
  /// When the device of a track of kind busy did what, on the run's clock.
  DeviceTimes times_of_device(const ViewTrack& track) const;

  /// Bytes of the indexes built so far, and the number of slices in them.
  struct Cost {
    size_t bytes = 0;
    size_t slices = 0;
  };
  Cost cost() const;

 private:
  TimelineView(const SessionFacts& facts, std::vector<RunFacts> of_runs, unsigned threads, const Progress& progress);

  struct OpenTrack;
  /// `slices`: the slices of the track, if these are known already; else null.
  OpenTrack& open(ViewTrackId track, std::vector<SliceIndex>* slices = nullptr) const;
  void build(ViewTrackId track, OpenTrack& opened, std::vector<SliceIndex>* slices) const;
  std::vector<SliceIndex> slices_of(const ViewTrack& track) const;
  SliceParents parents_of(const ViewTrack& track) const;
  std::vector<PathSample> path_samples_of(const ViewTrack& track) const;
  void name_layers();
  void name_frames(size_t run);
  void measure_paths(ViewTrack& track);
  struct Device;
  struct OpenRun;
  Device& device_of(const ViewTrack& track) const;
  Device& active_device_of(const ViewTrack& track) const;
  SliceStyle style_of_slice(size_t run, SliceIndex slice) const;
  SliceStyle style_of_path(size_t run, uint32_t bound_by, SliceIndex about) const;
  const LayerSlices& layers_of(const ViewTrack& track) const;
  const DerivedSlices& derived_of(const ViewTrack& track, const OpenTrack& opened) const;
  void lay_out_all(unsigned threads, const Progress& progress);

  const SessionFacts& facts_;
  const Session& session_;
  std::vector<int64_t> zeros_;
  ViewTracks tracks_;
  SharedNames names_;
  std::vector<uint32_t> step_names_;   // of all runs, one after another
  std::vector<uint32_t> cause_names_;  // by IdleCause
  uint32_t kernel_gap_name_ = 0;
  std::vector<uint32_t> layer_names_;  // by number, the last for all from there on; empty without such tracks
  std::vector<uint32_t> part_names_;   // by place in kLayerParts
  std::vector<std::vector<std::pair<SliceIndex, OpIndex>>> sorted_ops_;  // by run; only where the ops are not sorted
  std::vector<std::vector<uint32_t>> frame_names_;                       // by run and node
  int64_t span_ = 1;

  mutable std::vector<std::unique_ptr<OpenTrack>> opened_;     // by track
  mutable std::vector<std::unique_ptr<OpenRun>> opened_runs_;  // by run
  mutable Once<std::vector<DerivedSlices>> critical_path_;     // by run
};

}  // namespace cgpu
