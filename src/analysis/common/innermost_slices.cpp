#include "analysis/common/innermost_slices.h"

#include "analysis/device/device_ops.h"

namespace cgpu {

SliceIndex InnermostSlices::active_at(SliceIndex slice, int64_t time) const {
  const Slices& slices = timeline_.slices;
  const TrackIndex thread = slice == kNone ? kNone : slices.track[slice];
  while (slice != kNone) {
    if (!is_plausible(timeline_, slice)) {  // as if it was not there
      const std::span<const SliceIndex> own = threads_.of(thread);
      const auto at = std::partition_point(own.begin(), own.end(),
                                           [&](SliceIndex other) { return comes_outer_first(slices, other, slice); });
      slice = at == own.begin() ? kNone : *(at - 1);
    } else if (slices.end(slice) <= time) {
      // All that began between its parent and it ended before it did.
      slice = slices.parent[slice];
      if (slice != kNone && slices.track[slice] != thread) return kNone;  // it put this work into a queue
    } else {
      return slice;
    }
  }
  return kNone;
}

}  // namespace cgpu
