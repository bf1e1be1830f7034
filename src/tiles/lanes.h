// Lanes: which line of a track each slice is drawn on, so that no two slices of a lane overlap and none is lost.
//
// Slices are given in the order of their starts, outer before inner. Each takes the lowest lane that is free and lies
// below its parent's (the depth, where slices nest; the fewest lanes that do, where they have no parents). O(log lanes)
// a slice. The slow way it equals: try the lanes from the parent's down until one is free.
#pragma once

#include <cstdint>
#include <vector>

namespace cgpu {

class LaneLayout {
 public:
  LaneLayout() { grow(); }

  /// The lane for [start, end), at least `from`. `start` must not be less than that of any slice before.
  uint32_t place(int64_t start, int64_t end, uint32_t from);

  uint32_t lanes() const { return lanes_; }

 private:
  void grow();
  uint32_t first_free(int64_t start, uint32_t from) const;

  // A tree over the ends of the lanes, each node the least of those below: leaf i is ends_[leaves_ + i].
  std::vector<int64_t> ends_;
  uint32_t leaves_ = 0;
  uint32_t lanes_ = 0;
};

}  // namespace cgpu
