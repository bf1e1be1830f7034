// The level-of-detail index of a track: the slices of each lane by start, and the longest slice of any range of them.
//
// Each leaf of a binary tree stands for 16 slices of a lane, and each node holds the longest slice below it. The
// longest of a range is found from at most 32 slices and 2 log2(n / 16) nodes. Including the lane of each slice the
// index takes 14 bytes a slice and about 50 a lane; 6 bytes a slice where all slices follow one another in one lane.
// Thread-safe once built. A tree of maxima over sorted slices: T. Hume, "Indexing billions of trace events" (implicit
// interval forests, 2021); Perfetto answers its zoomed-out queries in the same way. Brute force with the same result:
// look at all slices between two positions.
#pragma once

#include <cstdint>
#include <vector>

#include "tiles/slice_times.h"

namespace cgpu {

/// One lane: slices that do not overlap, by start. Positions count from 0.
class Lane {
 public:
  size_t size() const { return size_; }
  SliceIndex slice(size_t position) const { return slices_[position]; }
  int64_t start(size_t position) const { return times_.start(slices_[position]); }
  int64_t end(size_t position) const { return times_.end(slices_[position]); }
  int64_t duration(size_t position) const { return times_.duration(slices_[position]); }

  /// The first position, not before `from`, whose slice begins at `time` or later. Galloping search, O(log distance).
  size_t first_starting(int64_t time, size_t from = 0) const;
  /// The first position whose slice ends after `time`, or begins at it or later.
  size_t first_reaching(int64_t time) const;
  /// The position of the longest slice in [first, last), which must not be empty; of equal ones the first.
  size_t longest(size_t first, size_t last) const;

 private:
  friend class LaneIndex;
  struct Node {
    int64_t duration = -1;
    uint32_t position = 0;
    bool operator<(const Node& other) const {
      return duration != other.duration ? duration < other.duration : position > other.position;
    }
  };
  static constexpr size_t kLeaf = 16;

  Lane(const SliceTimes& times, const SliceIndex* slices, const Node* nodes, size_t size)
      : times_(times), slices_(slices), nodes_(nodes), size_(size) {}
  Node longest_of(size_t first, size_t last) const;

  SliceTimes times_;
  const SliceIndex* slices_;
  const Node* nodes_;
  size_t size_;
};

class LaneIndex {
 public:
  /// The slices of one track, in ascending order. O(n log n), O(n) where the starts are (mostly) sorted.
  LaneIndex(const SliceTimes& times, std::vector<SliceIndex> slices, const SliceParents& parents);

  /// Slices 0, 1, ... on the lanes that are given: those of a lane must begin in their order and not overlap. O(n).
  LaneIndex(const SliceTimes& times, std::vector<uint32_t> lane);

  uint32_t lanes() const { return static_cast<uint32_t>(begin_.size() - 1); }
  size_t slices() const { return slices_.size(); }
  Lane lane(uint32_t number) const;
  /// The lane of a slice; kNone for a slice of another track. O(log n).
  uint32_t lane_of(SliceIndex slice) const;
  /// Bytes resident.
  size_t bytes() const;

 private:
  void fill_lanes(const SliceParents& parents);
  void fill_begins(uint32_t lanes);
  void build_trees();

  SliceTimes times_;
  std::vector<SliceIndex> slices_;   // ascending
  std::vector<uint32_t> lane_;       // of each of them; empty where all follow one another in one lane
  std::vector<SliceIndex> by_lane_;  // lane after lane, by start; empty in the same case
  std::vector<size_t> begin_;        // of each lane in by_lane_, and the end
  std::vector<Lane::Node> nodes_;    // the trees, lane after lane
  std::vector<size_t> nodes_begin_;
};

/// The number of lanes that the slices of a track need, without building an index.
uint32_t count_lanes(const SliceTimes& times, const std::vector<SliceIndex>& slices, const SliceParents& parents);

}  // namespace cgpu
