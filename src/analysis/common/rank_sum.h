// The rank-sum test of Mann and Whitney ("On a test of whether one of two random variables is stochastically larger
// than the other", 1947), exact: over all ways to share the values among the two sides, ties with the mean of their
// ranks.
//
// U is the number of pairs (a, b) with b > a, ties half. All ways are counted by dynamic programming over the values in
// order: ways[k][s] of choosing k of them with s as the sum of their doubled ranks, O(N^2 m) numbers for N values in
// all and m on one side. From kMostExact values on the normal distribution takes its place, corrected for ties and
// continuity; there the two agree to three digits. The test's oracle is to list the ways.
#pragma once

#include <cstddef>
#include <vector>

namespace cgpu {

struct RankSum {
  double u = 0;          // pairs in which b is larger, ties half
  double p_greater = 1;  // chance of such a U or a larger one if there is no difference
  double p_less = 1;     // of a smaller one
  double p = 1;          // two-sided: twice the smaller of both, at most 1
  bool exact = true;
};

inline constexpr size_t kMostExact = 60;

/// Neither side may be empty.
RankSum rank_sum_test(const std::vector<double>& a, const std::vector<double>& b);

/// The smallest and the largest shift that the test does not refuse.
struct ShiftInterval {
  double shift = 0;  // median of all differences b - a: Hodges and Lehmann, "Estimates of location", 1963
  double low = 0;
  double high = 0;
  double coverage = 0;  // at least; 0 where there are too few values for an interval, which then has no ends
};

/// By which shift b lies above a. The interval is that of the differences in order (Bauer, "Constructing confidence
/// sets using rank statistics", 1972), conservative where there are ties. O(|a| |b| log).
ShiftInterval shift_between(const std::vector<double>& a, const std::vector<double>& b, double confidence);

/// The share of pairs with b > a less that of pairs with b < a: Cliff, "Dominance statistics", 1993. -1 to 1.
double cliffs_delta(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace cgpu
