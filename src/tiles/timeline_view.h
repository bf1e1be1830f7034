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
#include <string_view>
#include <vector>

#include "analysis/session_facts.h"
#include "model/run.h"
#include "tiles/frames_at_depth.h"
#include "tiles/lane_index.h"
#include "tiles/lanes/lane_scope.h"
#include "tiles/lanes/lane_source.h"

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

class TimelineView;

/// {"track", "slice", "lane", "name", "start", "duration"}
void write_position(JsonTextWriter& json, const TimelineView& view, const SlicePosition& placed);
/// Of a slice of the profile.
void write_position(JsonTextWriter& json, const TimelineView& view, size_t run, SliceIndex slice);

/// A name as lists show it: cut where it is longer than 1,024 bytes.
std::string shown_name(std::string_view name);

class TimelineView {
 public:
  using Progress = std::function<void(double)>;
  /// `threads`: 0 for one per processor. `progress` is called by one thread at a time with the share of the tracks that
  /// have been laid out.
  explicit TimelineView(const SessionFacts& facts, unsigned threads = 0, const Progress& progress = nullptr);
  ~TimelineView();
  TimelineView(const TimelineView&) = delete;
  TimelineView& operator=(const TimelineView&) = delete;

  const Session& session() const { return scope_.session(); }
  const std::vector<ViewTrack>& tracks() const { return scope_.tracks().all(); }
  const SharedNames& names() const { return scope_.names(); }
  /// For each run, the time on its clock that is 0 here.
  const std::vector<int64_t>& zeros() const { return scope_.zeros(); }
  int64_t zero(size_t run) const { return scope_.zero(run); }
  /// The last end of any slice, sample or instant, at least 1.
  int64_t span() const { return scope_.span(); }

  /// Whether a track has slices; the others are drawn from counter or activity tiles.
  bool has_slices(ViewTrackId track) const;
  std::string tile(ViewTrackId track, const TilePlace& place) const;
  std::string counter_tile(ViewTrackId track, const TilePlace& place) const;
  std::string activity_tile(ViewTrackId track, const TilePlace& place) const;

  /// What a track of call paths shows at a depth, 1 for the outermost frames; deeper than its paths are: their
  /// innermost frames. Null for other tracks. The depth of a track that was asked for last is kept.
  std::shared_ptr<const FramesAtDepth> at_depth(ViewTrackId track, uint32_t depth) const;
  /// The tile of that: one lane, whose slices are called by the numbers of their boxes. Of other tracks as tile().
  std::string tile_at_depth(ViewTrackId track, uint32_t depth, const TilePlace& place) const;

  /// The lanes of a track that has slices, and their times.
  const LaneIndex& lanes(ViewTrackId track) const;
  SliceTimes times(ViewTrackId track) const;
  SliceStyle style(ViewTrackId track, SliceIndex slice) const;

  /// The place of a slice of a track; empty if the track has no such slice.
  std::optional<SlicePosition> find(ViewTrackId track, SliceIndex slice) const;
  /// The track of a slice of the profile, and its place there.
  ViewTrackId track_of(size_t run, SliceIndex slice) const { return scope_.tracks().of(session(), run, slice); }
  SlicePosition place(size_t run, SliceIndex slice) const;

  /// The derived slices of a track; null for a track of the profile.
  const DerivedSlices* derived(ViewTrackId track) const;
  /// The same with what its lane knows of them besides, such as IdleSlices or CallPaths. Throws std::bad_cast where the
  /// track is of another lane.
  template <typename OfLane>
  const OfLane& derived_as(ViewTrackId track) const {
    return dynamic_cast<const OfLane&>(lane_slices(track));
  }
  /// The slice that a slice of a track is nested in; kNone where there is none.
  SliceIndex parent(ViewTrackId track, SliceIndex slice) const;
  /// What makes the slices of a derived track; null for a track of the profile, and where its drawing needs none.
  const LaneSource* source(const ViewTrack& track) const;
  /// That of each kind, in the order of all_lanes(); null where its drawing needs none.
  const std::vector<std::unique_ptr<LaneSource>>& sources() const { return sources_; }
  /// The device op of a slice; kNone where it is none.
  OpIndex op_of(size_t run, SliceIndex slice) const { return scope_.op_of(run, slice); }

  /// The samples of a track that is drawn as a counter, in any order.
  std::vector<CounterIndex::Sample> samples_of(const ViewTrack& track) const;
  /// When the device of a track did what, on the run's clock.
  const DeviceTimes& device_times(const ViewTrack& track) const { return scope_.device_times(track); }

  /// Bytes of the indexes built so far, and the number of slices in them.
  struct Cost {
    size_t bytes = 0;
    size_t slices = 0;
  };
  Cost cost() const;

 private:
  struct OpenTrack;
  /// `slices`: the slices of the track, if these are known already; else null.
  OpenTrack& open(ViewTrackId track, std::vector<SliceIndex>* slices = nullptr) const;
  void build(ViewTrackId track, OpenTrack& opened, std::vector<SliceIndex>* slices) const;
  const LaneSlices& lane_slices(ViewTrackId track) const;
  SliceParents parents_of(const ViewTrack& track) const;
  void lay_out_all(unsigned threads, const Progress& progress);

  LaneScope scope_;
  std::vector<std::unique_ptr<LaneSource>> sources_;        // in the order of all_lanes()
  mutable std::vector<std::unique_ptr<OpenTrack>> opened_;  // by track
};

}  // namespace cgpu
