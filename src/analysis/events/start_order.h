// Slices in order of their start, without an index of all of them where they are asked for in that order.
//
// Profilers write each kind of event in order, so that a file is a few sorted runs: they are merged a block at a time,
// and the last two blocks are kept. Asked for out of order, or where there are many runs, it makes the index: 4 bytes a
// slice. O(n) to begin with, O(log runs) a slice in order, O(n log runs) for the index. For one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

class StartOrder {
 public:
  /// `starts` has to outlive this.
  explicit StartOrder(const std::vector<int64_t>& starts);

  /// The slice at a place in order of start, then of the file.
  SliceIndex at(size_t place) {
    if (sorted_) return static_cast<SliceIndex>(place);
    const size_t number = place / kBlock;
    if (last_.number == number) return last_.slices[place % kBlock];
    if (before_.number == number) return before_.slices[place % kBlock];
    return outside_of_blocks(place);
  }

  static constexpr size_t kBlock = size_t{1} << 16;

 private:
  /// What has not been merged of a run.
  struct Head {
    int64_t start;  // of its first slice
    SliceIndex slice;
    SliceIndex end;
    bool operator>(const Head& other) const { return start != other.start ? start > other.start : slice > other.slice; }
  };
  struct Block {
    size_t number = SIZE_MAX;
    std::vector<SliceIndex> slices;
  };

  SliceIndex outside_of_blocks(size_t place);
  void merge_next();
  void make_index();

  const std::vector<int64_t>& starts_;
  bool sorted_ = false;      // as they are
  std::vector<Head> heads_;  // a heap, the least in front
  size_t next_ = 0;          // number of the block that is merged next
  Block last_;
  Block before_;
  std::vector<SliceIndex> index_;
};

}  // namespace cgpu
