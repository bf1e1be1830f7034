// The tracks that the viewer shows for a session, and their order (docs/viewer-protocol.md, "The session").
//
// Each part of a track of the profile (track_part.h) is a track of the viewer. Derived tracks, which lanes/ has, come
// first in their device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/run.h"
#include "tiles/run_facts.h"

namespace cgpu {

struct LaneDeclaration;

using ViewTrackId = uint32_t;

struct ViewTrack {
  const LaneDeclaration* lane = nullptr;  // its kind (lanes/lane_source.h)
  size_t run = 0;                         // index into Session::runs
  std::vector<std::string> group;
  std::string name;
  std::optional<uint64_t> slices;  // absent until they are counted
  std::optional<uint32_t> lanes;

  TrackIndex source = kNone;  // of the run's timeline; kNone for derived tracks
  TrackPart part = TrackPart::main;
  SliceIndex first = 0;  // the numbers of its slices lie in [first, last]
  SliceIndex last = 0;
  std::optional<int32_t> device;    // of derived tracks and streams
  std::optional<uint32_t> counter;  // of a counter of the profile: index into Counters::tracks
  ViewTrackId samples = kNone;      // of a call path: the track with the samples (the ops, of a stream)
  bool reserved = false;            // of another counter: whether it shows reserved memory, else allocated memory
};

/// The tracks in the order in which they are shown, and which of them shows a slice.
class ViewTracks {
 public:
  /// `facts`: by run.
  ViewTracks(const Session& session, const std::vector<RunFacts>& facts);

  const std::vector<ViewTrack>& all() const { return tracks_; }
  ViewTrack& operator[](ViewTrackId id) { return tracks_[id]; }
  ViewTrackId of(const Session& session, size_t run, SliceIndex slice) const {
    const Timeline& timeline = session.runs[run].timeline;
    return of(run, timeline.slices.track[slice], part_of(timeline, slice));
  }
  ViewTrackId of(size_t run, TrackIndex track, TrackPart part) const {
    return of_source_[run][track][static_cast<size_t>(part)];
  }

 private:
  using IdOfPart = std::array<ViewTrackId, kTrackParts>;
  std::vector<ViewTrack> tracks_;
  std::vector<std::vector<IdOfPart>> of_source_;  // by run and track
};

}  // namespace cgpu
