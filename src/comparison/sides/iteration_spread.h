// Whether iterations of two runs differ by more than they do among themselves: Welch's interval of 95 % for the
// difference of two means, and, since a single slow iteration makes that wide, whether all iterations of one side take
// longer than all of the other; of the medians, which such an iteration hardly moves, the rank-sum test (rank_sum.h).
// Of many causes some would differ by chance: those that are said to differ are held to a rate of false ones of 5 %
// (false_discovery.h).
// It says nothing of how runs differ among themselves: for that, runs have to be repeated (docs/gate.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comparison/alignment/alignment.h"

namespace cgpu {

class Comparison;

/// Of the time of A: less is not worth a word.
inline constexpr double kLeastShareOfChange = 0.005;

struct Spread {
  double delta = 0;  // ns, mean of B minus mean of A
  double low = 0;
  double high = 0;
  /// For sure: 0 is outside, or such an order of all would come about by chance in at most 5 %.
  bool differs = false;
  PerSide<double> median;  // ns
  /// For sure: chance would shift one side against the other as far in at most 5 % of cases.
  bool median_differs = false;
  /// Of such a change where there is none, by the means or, where these go the same way, the medians.
  double chance = 1;
};

/// Of the values of iterations, ns; absent where a side has fewer than three. Medians are only said to differ where
/// they do by more than `least` ns.
std::optional<Spread> spread_between(const PerSide<std::vector<int64_t>>& values, double least = 0);

/// Of the lengths of iterations, the mean over the runs of a side; absent also where the runs have no iterations.
std::optional<Spread> iteration_spread(const Comparison& comparison);

/// Of ns by iteration, summed over runs and devices (Cause::by_iteration): of one device. Absent as above.
std::optional<Spread> spread_of_series(const Comparison& comparison, const PerSide<std::vector<int64_t>>& by_iteration);

/// Whether a cause changed for sure, as far as its iterations say. What is more than half of a certain change of the
/// whole is certain where it would be by itself. Absent as above.
std::optional<bool> is_certain(const Comparison& comparison, const PerSide<std::vector<int64_t>>& by_iteration);

/// The most that Spread::chance of a cause may be so that its change is certain. Comparison has it once for all.
double chance_of_certain_causes(const Comparison& comparison);

}  // namespace cgpu
