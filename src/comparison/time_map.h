// When in one run is what is now in the other: a map between the times of two sessions through the work that both have.
//
// The starts of device ops that are the same work, in the iterations of the same number, are its points. Those that
// would lead backward are left out, as few as possible (a longest rising subsequence); by how much they miss the map is
// the residual there. Between points the map is linear, before the first and behind the last one it keeps their
// distance. Of runs of several ranks the first of each side is taken. O(n log n) in the device ops, O(log n) a
// question.
#pragma once

#include <cstdint>
#include <vector>

#include "comparison/comparison.h"

namespace cgpu {

struct TimePoint {
  int64_t a = 0;         // ns from the start of the session of A
  int64_t b = 0;         // of B
  int64_t residual = 0;  // ns in B by which work around here misses the map at most
};

class TimeMap {
 public:
  explicit TimeMap(const Comparison& comparison);
  /// Of any pairs of times.
  explicit TimeMap(std::vector<TimePoint> pairs);

  /// Rising in both, no time twice.
  const std::vector<TimePoint>& points() const { return points_; }
  /// Times from the start of one session in the other one. Without points the same time.
  int64_t to_b(int64_t a) const;
  int64_t to_a(int64_t b) const;

 private:
  void fit(std::vector<TimePoint> pairs);

  std::vector<TimePoint> points_;
};

}  // namespace cgpu
