// How sure numbers of samples are: of one profile a frame's share of the samples, of two profiles the ratio of both.
//
// Samples that are taken at random and independently fall on a frame that takes the share p as often as a binomial
// variable of n and p says. Of p it is the score interval with a correction for continuity (Wilson 1927; method 4 in
// Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven methods", 1998), which
// hardly ever covers less than it says. Of the a and b samples of a frame in two runs, b is binomial of a + b, with the
// share r / (1 + r) where r is the true ratio (Przyborowski and Wilenski, "Homogeneity of results in testing samples
// from Poisson series", 1940). O(1).
#pragma once

#include <optional>

namespace cgpu {

/// The metric of a call tree that counts its samples, as readers call it.
inline constexpr const char* kSamplesMetric = "samples";

struct ShareBounds {
  double low = 0;
  double high = 1;
};

/// Of k / n at a confidence of `share`; absent where there is no sample at all. 0 <= k <= n.
std::optional<ShareBounds> share_of_counts(double k, double n, double share = 0.95);

struct RatioBounds {
  double low = 0;
  std::optional<double> high;  // absent where nothing bounds it, as A has so few
};

/// Of b / a at a confidence of `share`; absent where there is no sample at all.
std::optional<RatioBounds> ratio_of_counts(double a, double b, double share = 0.95);

/// Whether they can be of the same rate: 1 is in the interval. True without samples.
bool may_be_same(double a, double b, double share = 0.95);

}  // namespace cgpu
