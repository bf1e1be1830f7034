// Appends one event to the columns of a timeline, for readers that meet events one by one. The reader of trace events
// appends whole windows itself.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Appends a slice and counts it.
inline SliceIndex append_slice(Run& run, int64_t start, int64_t duration, uint16_t category, StringId name,
                               TrackIndex track, int64_t correlation, uint64_t source) {
  Slices& slices = run.timeline.slices;
  slices.start.push_back(start);
  slices.duration.push_back(duration);
  slices.name.push_back(name);
  slices.track.push_back(track);
  slices.category.push_back(category);
  slices.flags.push_back(0);
  slices.correlation.push_back(correlation);
  slices.source.push_back(source);
  ++run.events.slices;
  return static_cast<SliceIndex>(slices.size() - 1);
}

inline void append_device_op(DeviceOps& ops, SliceIndex slice, int32_t device, int64_t stream, int64_t bytes,
                             CopyKind copy, MemoryKind source, MemoryKind destination) {
  ops.slice.push_back(slice);
  ops.device.push_back(device);
  ops.stream.push_back(stream);
  ops.bytes.push_back(bytes);
  ops.copy.push_back(copy);
  ops.source.push_back(source);
  ops.destination.push_back(destination);
}

}  // namespace cgpu
