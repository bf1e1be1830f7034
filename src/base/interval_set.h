// Sets of half-open intervals [begin, end) on the int64 nanosecond axis.
//
// An IntervalSet is sorted, disjoint, and without empty or touching members. Building one from n intervals in any
// order is O(n log n), O(n) when they come sorted by begin; union, intersection and difference are O(n + m), a clip is
// O(log n) besides what it keeps.
// The slow way each equals: mark every nanosecond in a bit array and combine the bits.
#pragma once

#include <cstdint>
#include <vector>

namespace cgpu {

struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const Interval&) const = default;
};

class IntervalSet {
 public:
  IntervalSet() = default;
  /// The union of `intervals`, which may overlap, touch, be empty and come in any order.
  explicit IntervalSet(std::vector<Interval> intervals);

  const std::vector<Interval>& intervals() const { return intervals_; }
  bool empty() const { return intervals_.empty(); }
  /// Nanoseconds covered.
  int64_t length() const;

  IntervalSet unite(const IntervalSet& other) const;
  IntervalSet intersect(const IntervalSet& other) const;
  /// What is in this set and not in `other`.
  IntervalSet subtract(const IntervalSet& other) const;
  /// What lies between begin and end.
  IntervalSet clip(int64_t begin, int64_t end) const;

 private:
  std::vector<Interval> intervals_;
};

}  // namespace cgpu
