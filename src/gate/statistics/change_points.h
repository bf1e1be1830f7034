// Where a series of runs changed its level.
//
// The series is split where its two parts differ most, by the rank-sum statistic; the split counts where fewer than
// kChangeChance of the same series in random order have one that differs as much, and then each part is looked at by
// itself. Splitting and permutation as in E-divisive (Matteson and James, "A nonparametric approach for multiple change
// point analysis", 2014; on series of benchmarks: Daly et al., "The use of change point detection to identify software
// performance regressions", 2020), with ranks so that a single outlier is no change. Where exactly a level begins
// follows from the distances of the values from both levels. Deterministic: the seed is fixed. O(n permutations) a
// split. At least 5 runs on each side of a lone change are needed, or 2 after 13.
#pragma once

#include <cstddef>
#include <vector>

namespace cgpu {

struct ChangePoint {
  size_t at = 0;      // the first of the new level
  double before = 0;  // median from the change before to this one
  double after = 0;   // median up to the next change
  double chance = 0;  // of such a split if there is no change
};

inline constexpr double kChangeChance = 0.01;

/// In the order of the series.
std::vector<ChangePoint> change_points(const std::vector<double>& series);

}  // namespace cgpu
