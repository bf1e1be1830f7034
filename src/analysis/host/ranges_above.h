// The annotations of a host ("ranges": NVTX, record_function, MSTX), and in which of them something was done.
#pragma once

#include <vector>

#include "analysis/common/nesting.h"
#include "analysis/device/device_ops.h"

namespace cgpu {

/// Whether a slice is an annotation that counts.
inline bool is_range(const Timeline& timeline, SliceIndex slice) {
  return timeline.kind(slice) == SliceKind::annotation && is_plausible(timeline, slice);
}

/// For each slice the innermost annotation around it, or kNone; for an annotation the next one outwards. O(n).
inline std::vector<SliceIndex> ranges_above(const Timeline& timeline) {
  return nearest_above(timeline.slices, [&](SliceIndex slice) { return is_range(timeline, slice); });
}

}  // namespace cgpu
