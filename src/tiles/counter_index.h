// The samples of one counter by time, with the minimum and maximum of any range of them.
//
// 16 bytes a sample, plus 2 for a tree of minima and maxima (as in lane_index.h). A tile costs O(log n) a bucket.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tiles/tile.h"

namespace cgpu {

class CounterIndex {
 public:
  struct Sample {
    int64_t time;  // from the start of the session
    double value;
  };
  /// Takes samples in any order; of several samples at one time the last counts.
  explicit CounterIndex(std::vector<Sample> samples);

  /// The values in one bucket.
  struct Entry {
    double minimum;
    double maximum;
    double last;
    uint16_t bucket;
  };
  std::vector<Entry> entries(const TilePlace& place) const;
  std::string tile(const TilePlace& place) const;

 private:
  struct Range {
    double minimum;
    double maximum;
  };
  static constexpr size_t kLeaf = 16;

  size_t first_from(int64_t time) const;
  void widen(Range& range, size_t first, size_t last) const;

  std::vector<Sample> samples_;
  std::vector<Range> nodes_;  // a binary tree; leaf i, over samples 16 i to 16 i + 15, is nodes_[leaves + i]
};

}  // namespace cgpu
