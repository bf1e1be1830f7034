// Sorts columns that are mostly sorted: profilers write each kind of event in order, so that a column is a few sorted
// runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace cgpu {

/// Sorts by `less`, which must be a total order (equal elements are indistinguishable). Runs that are sorted already
/// are found and merged: O(n log r) for r runs, one pass where there is one. Equals std::sort, which takes over beyond
/// 64 runs.
template <typename T, typename Less = std::less<T>>
void sort_runs(std::span<T> values, Less less = {}) {
  constexpr size_t kMostRuns = 64;
  std::vector<size_t> ends;  // of the runs
  for (size_t i = 1; i <= values.size(); ++i) {
    if (i < values.size() && !less(values[i], values[i - 1])) continue;
    ends.push_back(i);
    if (ends.size() > kMostRuns) return std::sort(values.begin(), values.end(), less);
  }
  const auto at = [&](size_t position) { return values.begin() + static_cast<std::ptrdiff_t>(position); };
  while (ends.size() > 1) {  // merge neighbours, pair by pair
    std::vector<size_t> merged;
    for (size_t k = 0; k < ends.size(); k += 2) {
      if (k + 1 < ends.size()) std::inplace_merge(at(k == 0 ? 0 : ends[k - 1]), at(ends[k]), at(ends[k + 1]), less);
      merged.push_back(ends[std::min(k + 1, ends.size() - 1)]);
    }
    ends = std::move(merged);
  }
}

template <typename T, typename Less = std::less<T>>
void sort_runs(std::vector<T>& values, Less less = {}) {
  sort_runs(std::span(values), less);
}

}  // namespace cgpu
