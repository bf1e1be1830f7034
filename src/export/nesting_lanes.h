// Distributes the slices of a thread over lanes in which begin and end events nest by time alone.
#pragma once

#include <cstdint>
#include <vector>

#include "base/sort_runs.h"
#include "tiles/lane_index.h"

namespace cgpu {

/// The slices of a track by start, outer before inner.
inline std::vector<SliceIndex> in_nesting_order(const LaneIndex& index, const SliceTimes& times) {
  std::vector<SliceIndex> slices;
  slices.reserve(index.slices());
  for (uint32_t number = 0; number < index.lanes(); ++number) {
    const Lane lane = index.lane(number);
    for (size_t i = 0; i < lane.size(); ++i) slices.push_back(lane.slice(i));
  }
  sort_runs(slices, [&](SliceIndex a, SliceIndex b) {
    if (times.start(a) != times.start(b)) return times.start(a) < times.start(b);
    return times.end(a) != times.end(b) ? times.end(a) > times.end(b) : a < b;
  });
  return slices;
}

/// Each lane is a stack of open slices. A slice is pushed on the first stack whose innermost open slice contains it.
class NestingLanes {
 public:
  /// Opens [start, end) and returns its lane, which may be a new one. Before that, calls close(lane, end), innermost
  /// first, for the slices that end by `start` on the lanes that are tried. Starts must not fall.
  template <typename Close>
  size_t place(int64_t start, int64_t end, Close close) {
    for (size_t lane = 0; lane < open_.size(); ++lane) {
      close_until(lane, start, close);
      if (open_[lane].empty() || open_[lane].back() >= end) {
        open_[lane].push_back(end);
        return lane;
      }
    }
    open_.push_back({end});
    return open_.size() - 1;
  }
  /// Closes everything.
  template <typename Close>
  void finish(Close close) {
    for (size_t lane = 0; lane < open_.size(); ++lane) close_until(lane, INT64_MAX, close);
  }

 private:
  template <typename Close>
  void close_until(size_t lane, int64_t time, Close close) {
    std::vector<int64_t>& ends = open_[lane];
    for (; !ends.empty() && ends.back() <= time; ends.pop_back()) close(lane, ends.back());
  }

  std::vector<std::vector<int64_t>> open_;  // ends, the innermost last
};

}  // namespace cgpu
