// Which device op a slice is, without an entry for every slice: device ops mostly are in the order of their slices.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/partition_point_near.h"
#include "model/timeline.h"

namespace cgpu {

/// Refers to the device ops. Costs 4 bytes an op where they are not in the order of their slices, else nothing.
class SliceOps {
 public:
  explicit SliceOps(const DeviceOps& ops) : slices_(ops.slice) {
    if (std::is_sorted(slices_.begin(), slices_.end())) return;
    order_.resize(slices_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return slices_[a] < slices_[b]; });
  }

  /// Where the last search ended.
  struct Search {
    size_t place = 0;
  };
  /// The device op of a slice, the last one if there are several; kNone for none. O(log n), O(1) where slices are asked
  /// for one after another.
  uint32_t op_of(SliceIndex slice, Search& search) const {
    search.place = partition_point_near(0, slices_.size(), std::min(search.place, slices_.size()),
                                        [&](size_t place) { return slice_at(place) <= slice; });
    if (search.place == 0 || slice_at(search.place - 1) != slice) return kNone;
    return order_.empty() ? static_cast<uint32_t>(search.place - 1) : order_[search.place - 1];
  }

 private:
  SliceIndex slice_at(size_t place) const { return slices_[order_.empty() ? place : order_[place]]; }

  const std::vector<SliceIndex>& slices_;
  std::vector<uint32_t> order_;  // of the ops by their slices, where it is not theirs
};

}  // namespace cgpu
