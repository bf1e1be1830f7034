// The parts of a track of the profile, which are tracks of their own in the viewer.
//
// A stream has up to three, so that none hides the others: its ops, the host ranges that the profiler projected onto
// it, and whatever else it recorded there (waits). Other tracks have one or two.
#pragma once

#include <cstdint>

#include "model/timeline.h"

namespace cgpu {

enum class TrackPart : uint8_t { main, ranges, rest };
inline constexpr int kTrackParts = 3;

inline TrackPart part_of(TrackKind track, SliceKind kind) {
  if (track == TrackKind::host_thread || is_device_op(kind)) return TrackPart::main;
  if (kind == SliceKind::device_annotation) return TrackPart::ranges;
  return track == TrackKind::device_stream ? TrackPart::rest : TrackPart::main;
}
inline TrackPart part_of(const Timeline& timeline, TrackIndex track, SliceKind kind) {
  return part_of(timeline.tracks[track].kind, kind);
}
inline TrackPart part_of(const Timeline& timeline, SliceIndex slice) {
  return part_of(timeline, timeline.slices.track[slice], timeline.kind(slice));
}

}  // namespace cgpu
