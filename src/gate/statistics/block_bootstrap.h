// How far the middle of a series could be off, from the series alone, although its values depend on their neighbours:
// the circular block bootstrap (Politis and Romano, "A circular block-resampling procedure for stationary data", 1992).
//
// Blocks of neighbours are drawn until there are as many values as in the series, and the middle of those is taken,
// over and over. Blocks are as long as the series remembers itself: up to the last lag at which it correlates with
// itself more than chance (2 / sqrt n), at least n^(1/3) and at most a quarter of it. Deterministic: the seed is fixed.
#pragma once

#include <cstddef>
#include <vector>

namespace cgpu {

enum class Location : unsigned char { median, mean };

/// The middle of values; 0 for none.
double location_of(Location location, const std::vector<double>& values);

/// A series of at most `most` values: of longer ones, the means of as many neighbours as need be. What depends on their
/// neighbours still does, and the cost of the squares below stays small.
std::vector<double> shortened(std::vector<double> series, size_t most = 1024);

/// O(n^2) in the values.
size_t block_length(const std::vector<double>& series);

/// In the order of their size, the middles of `draws` series drawn in blocks. O(n draws) for
/// medians, O(n + draws n / block) for means.
std::vector<double> resampled(const std::vector<double>& series, Location location, size_t block, size_t draws);

/// The standard error of the middle of a series, widened so that normal quantiles of it hold although it was itself
/// estimated from few blocks (by Student's t at 99.5 %). 0 for a series whose values are all the same; nothing is known
/// of fewer than kFewestIterations values, for which the caller must not ask.
double standard_error(const std::vector<double>& series, Location location);

inline constexpr size_t kFewestIterations = 5;

}  // namespace cgpu
