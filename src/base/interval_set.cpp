#include "base/interval_set.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/sort_runs.h"

namespace cgpu {

IntervalSet::IntervalSet(std::vector<Interval> intervals) {
  sort_runs(intervals, [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const Interval& interval : intervals) {
    if (interval.end <= interval.begin) continue;
    if (kept > 0 && interval.begin <= intervals[kept - 1].end) {
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, interval.end);
    } else {
      intervals[kept++] = interval;
    }
  }
  intervals.resize(kept);
  intervals_ = std::move(intervals);
}

int64_t IntervalSet::length() const {
  int64_t sum = 0;
  for (const Interval& interval : intervals_) sum += interval.end - interval.begin;
  return sum;
}

IntervalSet IntervalSet::unite(const IntervalSet& other) const {
  std::vector<Interval> all;
  all.reserve(intervals_.size() + other.intervals_.size());
  std::merge(intervals_.begin(), intervals_.end(), other.intervals_.begin(), other.intervals_.end(),
             std::back_inserter(all), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  return IntervalSet(std::move(all));
}

IntervalSet IntervalSet::intersect(const IntervalSet& other) const {
  IntervalSet result;
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    const int64_t begin = std::max(a->begin, b->begin);
    const int64_t end = std::min(a->end, b->end);
    if (begin < end) result.intervals_.push_back({begin, end});
    if (a->end < b->end) {
      ++a;
    } else {
      ++b;
    }
  }
  return result;
}

IntervalSet IntervalSet::subtract(const IntervalSet& other) const {
  IntervalSet result;
  auto b = other.intervals_.begin();
  for (Interval rest : intervals_) {
    while (b != other.intervals_.end() && b->end <= rest.begin) ++b;
    for (auto hole = b; hole != other.intervals_.end() && hole->begin < rest.end; ++hole) {
      if (hole->begin > rest.begin) result.intervals_.push_back({rest.begin, hole->begin});
      rest.begin = std::max(rest.begin, hole->end);
      if (rest.begin >= rest.end) break;
    }
    if (rest.begin < rest.end) result.intervals_.push_back(rest);
  }
  return result;
}

IntervalSet IntervalSet::clip(int64_t begin, int64_t end) const {
  IntervalSet result;
  auto at = std::partition_point(intervals_.begin(), intervals_.end(),
                                 [&](const Interval& interval) { return interval.end <= begin; });
  for (; at != intervals_.end() && at->begin < end; ++at) {
    const Interval inside{std::max(at->begin, begin), std::min(at->end, end)};
    if (inside.begin < inside.end) result.intervals_.push_back(inside);
  }
  return result;
}

}  // namespace cgpu
