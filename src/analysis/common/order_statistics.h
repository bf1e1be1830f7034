// Middle values and deviations of reals.
#pragma once

#include <vector>

namespace cgpu {

/// The middle value, or the mean of the two middle ones; 0 for none. Expected O(n).
double median_of(std::vector<double> values);
/// The same, without a copy: the values come into another order.
double median_in_place(std::vector<double>& values);
/// 0 for none.
double mean_of(const std::vector<double>& values);
/// The rank of each value, from 1 on, ties with the mean of theirs. O(n log n).
std::vector<double> mid_ranks(const std::vector<double>& values);
/// Sum of the squares of the differences from the mean.
double squares_around_mean(const std::vector<double>& values);
/// The value at position q (n - 1) of the sorted values, interpolated linearly between neighbours; 0 for none.
double quantile_of(const std::vector<double>& sorted, double q);

}  // namespace cgpu
