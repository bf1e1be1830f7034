// A time cut into buckets of equal length, and how much of each a set of intervals covers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/table_options.h"
#include "base/interval_set.h"

namespace cgpu {

inline TableOption buckets_option() {
  TableOption option{
      "buckets", TableOption::Kind::number, "100",
      "Into how many buckets the time is cut; unless it is given, fewer where a run would have more than 262144 rows"};
  option.most = 1e6;
  return option;
}

/// The default number of rows of a run: a hundred for 2,621 threads.
inline constexpr int64_t kMostUnaskedRows = int64_t{1} << 18;

/// The number of buckets of the time. Each has a row for each of `parts` (devices, streams,
/// threads). By default fewer, the more parts there are.
inline int64_t bucket_count(const TableOptions& options, size_t parts) {
  const TableOption option = buckets_option();
  const auto wanted = static_cast<int64_t>(options.number(option));
  if (options.all().count(option.name) > 0) return wanted;
  return std::clamp<int64_t>(kMostUnaskedRows / std::max<int64_t>(1, static_cast<int64_t>(parts)), 1, wanted);
}

/// Bounds of equal distance to the nanosecond; fewer buckets where the span has not as many nanoseconds.
inline std::vector<int64_t> bounds_of(const Interval& span, int64_t buckets) {
  const int64_t length = span.end - span.begin;
  const int64_t count = std::clamp<int64_t>(buckets, 1, std::max<int64_t>(1, length));
  std::vector<int64_t> bounds;
  for (int64_t i = 0; i <= count; ++i) {
    // length / count * i without its rounding error, which no product that might overflow is needed for
    bounds.push_back(span.begin + length / count * i + length % count * i / count);
  }
  return bounds;
}

/// How much of each bucket a set covers; bucket i is from bounds[i] to bounds[i + 1]. O(buckets + intervals).
inline std::vector<int64_t> covered_in(const std::vector<int64_t>& bounds, const IntervalSet& set) {
  std::vector<int64_t> covered(bounds.size() - 1, 0);
  size_t bucket = 0;
  for (Interval part : set.intervals()) {
    while (part.begin < part.end && bucket < covered.size()) {
      if (bounds[bucket + 1] <= part.begin) {
        ++bucket;
        continue;
      }
      const int64_t end = std::min(part.end, bounds[bucket + 1]);
      covered[bucket] += end - part.begin;
      part.begin = end;
    }
  }
  return covered;
}

}  // namespace cgpu
