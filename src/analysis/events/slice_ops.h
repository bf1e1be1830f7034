// Which device op a slice is, without an entry for every slice: device ops mostly stand in the order of their slices.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

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
    search.place = end_of(slice, std::min(search.place, slices_.size()));
    if (search.place == 0 || slice_at(search.place - 1) != slice) return kNone;
    return order_.empty() ? static_cast<uint32_t>(search.place - 1) : order_[search.place - 1];
  }

 private:
  SliceIndex slice_at(size_t place) const { return slices_[order_.empty() ? place : order_[place]]; }

  /// The first place whose slice is beyond the given one: in steps that double from `from`, then by bisection.
  size_t end_of(SliceIndex slice, size_t from) const {
    size_t low = from;   // all before it are not beyond
    size_t high = from;  // all from it on are beyond
    for (size_t step = 1; low > 0 && slice_at(low - 1) > slice; step *= 2) {
      high = low - 1;
      low -= std::min(step, low);
    }
    if (low == from) {
      for (size_t step = 1; high < slices_.size() && slice_at(high) <= slice; step *= 2) {
        low = high + 1;
        high = std::min(high + step, slices_.size());
      }
    }
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (slice_at(middle) <= slice) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  const std::vector<SliceIndex>& slices_;
  std::vector<uint32_t> order_;  // of the ops by their slices, where it is not theirs
};

}  // namespace cgpu
