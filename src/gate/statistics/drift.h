// Whether a series drifts from its beginning to its end: a device that heats up, a cache that fills.
//
// Kendall's test of the order against time (Mann, "Nonparametric tests against trend", 1945), with ties, and the median
// slope over all pairs (Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968). O(n^2).
#pragma once

#include <vector>

namespace cgpu {

struct Drift {
  double p = 1;    // two-sided chance of such an order if there is no drift
  double end = 0;  // by how much the fitted line rises over the whole series
};

Drift drift_of(const std::vector<double>& series);

/// Below this chance the series is said to drift.
inline constexpr double kDriftChance = 0.01;

}  // namespace cgpu
