// Which tracks a session has in the viewer, and in which order they stand (docs/viewer-protocol.md, "The session").
//
// A track of the profile is one track of the viewer, but a stream is up to three: its ops, the host ranges that the
// profiler projected onto it, and whatever else it recorded there (waits), so that none of them hides the others. The
// derived tracks come on top of their device. O(slices), once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/run.h"

namespace cgpu {

enum class ViewKind : uint8_t { thread, stream, async, other, ranges, busy, idle, steps, exposed, counter };
const char* text_of(ViewKind kind);  // "thread", ...

/// The part of a track of the profile that a track of the viewer shows.
enum class TrackPart : uint8_t { main, ranges, rest };
inline constexpr int kTrackParts = 3;

using ViewTrackId = uint32_t;

struct ViewTrack {
  ViewKind kind = ViewKind::other;
  size_t run = 0;  // index into Session::runs
  std::vector<std::string> group;
  std::string name;
  std::optional<uint64_t> slices;  // absent while nobody has looked
  std::optional<uint32_t> lanes;

  TrackIndex source = kNone;  // of the run's timeline; kNone for derived tracks
  TrackPart part = TrackPart::main;
  SliceIndex first = 0;  // all its slices lie in [first, last]
  SliceIndex last = 0;
  std::optional<int32_t> device;    // what derived tracks and streams belong to
  std::optional<uint32_t> counter;  // index into Counters::tracks; of kind counter, else absent
  bool reserved = false;            // of kind counter without an index: reserved memory, else allocated memory
};

TrackPart part_of(const Timeline& timeline, TrackIndex track, SliceKind kind);
inline TrackPart part_of(const Timeline& timeline, SliceIndex slice) {
  return part_of(timeline, timeline.slices.track[slice], timeline.kind(slice));
}

/// The tracks in the order in which they are shown, and which of them shows a slice.
class ViewTracks {
 public:
  /// `has_steps`: by run.
  ViewTracks(const Session& session, const std::vector<bool>& has_steps);

  const std::vector<ViewTrack>& all() const { return tracks_; }
  ViewTrack& operator[](ViewTrackId id) { return tracks_[id]; }
  ViewTrackId of(const Session& session, size_t run, SliceIndex slice) const;

 private:
  using IdOfPart = std::array<ViewTrackId, kTrackParts>;
  std::vector<ViewTrack> tracks_;
  std::vector<std::vector<IdOfPart>> of_source_;  // by run and track
};

}  // namespace cgpu
