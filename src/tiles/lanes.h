// Lanes: the line of a track on which each slice is drawn, so that no two slices of a lane overlap.
//
// Slices are placed in the order of their starts, outer before inner. Each takes the first free lane below the lane of
// its parent: slices that nest get their depth, slices without parents the fewest possible lanes. O(log lanes) a slice.
// Brute force with the same result: try the lanes below the parent's one after another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cgpu {

class LaneLayout {
 public:
  LaneLayout() { grow(); }

  /// The lane for [start, end), at least `from`. `start` must not be less than that of any slice before.
  uint32_t place(int64_t start, int64_t end, uint32_t from) {
    while (from >= leaves_) grow();
    // Until a lane is not free nothing needs to be searched, and no minima need to be kept.
    if (has_minima_ || ends_[leaves_ + from] > start) return search(start, end, from);
    lanes_ = std::max(lanes_, from + 1);
    ends_[leaves_ + from] = end;
    return from;
  }

  uint32_t lanes() const { return lanes_; }

 private:
  uint32_t search(int64_t start, int64_t end, uint32_t from);
  void grow();
  void find_minima();
  uint32_t first_free(int64_t start, uint32_t from) const;

  // A binary tree of minima over the ends of the lanes; leaf i is ends_[leaves_ + i].
  std::vector<int64_t> ends_;
  bool has_minima_ = false;  // else there are only leaves yet
  uint32_t leaves_ = 0;
  uint32_t lanes_ = 0;
};

}  // namespace cgpu
