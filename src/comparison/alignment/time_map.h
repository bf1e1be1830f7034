// Maps a time of one session to the corresponding time of the other, by the work that both have.
//
// The starts of device ops that are the same work, in the iterations of the same number, are its points. Those that
// would lead backward are left out, as few as possible (a longest rising subsequence); by how much they miss the map is
// the residual there. Between points the map is linear, before the first and behind the last one it keeps their
// distance. O(n log n) in the device ops, O(log n) a question.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comparison/comparison.h"

namespace cgpu {

struct TimePoint {
  int64_t a = 0;         // ns from the start of the session of A
  int64_t b = 0;         // of B
  int64_t residual = 0;  // ns in B by which work around here misses the map at most
};

/// A time in the other run. What both do in the same order is known to lie around it: since the map rises, the true
/// time is between the times of the points around it, widened by their residuals.
struct MappedTime {
  int64_t time = 0;
  std::optional<int64_t> low = {};   // absent before the first point
  std::optional<int64_t> high = {};  // absent behind the last one
  int64_t residual = 0;              // the larger one of the points around it
};

class TimeMap {
 public:
  /// Of one run of A and one of B of a group.
  TimeMap(const Comparison& comparison, const Comparison::Group& group, PerSide<size_t> runs);
  /// Of any pairs of times.
  explicit TimeMap(std::vector<TimePoint> pairs);

  /// Rising in both, no time twice.
  const std::vector<TimePoint>& points() const { return points_; }
  /// Times from the start of one session in the other one. Without points the same time.
  int64_t to_b(int64_t a) const;
  int64_t to_a(int64_t b) const;
  /// The same as to_b, with its error. There are points.
  MappedTime in_b(int64_t a) const;

 private:
  void fit(std::vector<TimePoint> pairs);

  std::vector<TimePoint> points_;
};

/// Which time of a rank of B is which of a rank of A.
struct TimesOfRanks {
  PerSide<size_t> runs;
  TimeMap map;
};
/// Rank by rank, as runs are compared. Where the sides have unequally many ranks, each of A with that of B of the same
/// number, or with the first one.
std::vector<TimesOfRanks> times_of_ranks(const Comparison& comparison);

}  // namespace cgpu
