// Divides the parts of a whole by the same number and rounds them to whole nanoseconds, so that they add up to the
// rounded whole. O(n log n).
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace cgpu {

/// The shares of `parts`, in their order. What a part gets does not depend on where it is, unless others are equal
/// to it: give those in an order that means something. `divisor` > 0.
inline std::vector<int64_t> apportion(const std::vector<int64_t>& parts, int64_t divisor) {
  std::vector<size_t> by_size(parts.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(), [&](size_t a, size_t b) { return parts[a] > parts[b]; });
  std::vector<int64_t> shares(parts.size());
  int64_t sum = 0;
  int64_t given = 0;
  for (const size_t i : by_size) {
    sum += parts[i];
    const int64_t until = (sum + divisor / 2) / divisor;
    shares[i] = until - given;
    given = until;
  }
  return shares;
}

}  // namespace cgpu
