// Slices and device ops whose times can be believed: those of implausible times (kImplausibleTime) are kept and listed,
// and left out of everything that is computed. O(1), or O(n) in the device ops.
#pragma once

#include <cstdint>

#include "model/timeline.h"

namespace cgpu {

/// Place in Timeline::device_ops.
using OpIndex = uint32_t;

inline bool is_plausible(const Timeline& timeline, SliceIndex slice) {
  return (timeline.slices.flags[slice] & kImplausibleTime) == 0;
}

/// Calls visit(op, slice) for every device op of plausible duration, in file order.
template <typename Visit>
void for_each_device_op(const Timeline& timeline, Visit visit) {
  for (OpIndex op = 0; op < timeline.device_ops.size(); ++op) {
    const SliceIndex slice = timeline.device_ops.slice[op];
    if (is_plausible(timeline, slice)) visit(op, slice);
  }
}

/// The call that launched a device op (given by its slice); kNone where none is known, or its duration is implausible.
inline SliceIndex launch_of(const Timeline& timeline, SliceIndex device_op) {
  const SliceIndex call = timeline.slices.launch[device_op];
  return call != kNone && is_plausible(timeline, call) ? call : kNone;
}

}  // namespace cgpu
