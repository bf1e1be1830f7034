#include "gate/statistics/block_bootstrap.h"

#include <algorithm>
#include <cmath>

#include "analysis/common/order_statistics.h"
#include "analysis/common/student.h"
#include "gate/statistics/random_numbers.h"

namespace cgpu {

namespace {

constexpr uint64_t kDrawSeed = 20260101;
constexpr size_t kDraws = 250;
constexpr double kWideningQuantile = 0.995;  // one-sided

}  // namespace

double location_of(Location location, const std::vector<double>& values) {
  return location == Location::median ? median_of(values) : mean_of(values);
}

std::vector<double> shortened(std::vector<double> series, size_t most) {
  if (series.size() <= most) return series;
  const size_t together = (series.size() + most - 1) / most;
  std::vector<double> means;
  for (size_t begin = 0; begin < series.size(); begin += together) {
    const auto first = series.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = series.begin() + static_cast<std::ptrdiff_t>(std::min(begin + together, series.size()));
    means.push_back(mean_of({first, last}));
  }
  return means;
}

size_t block_length(const std::vector<double>& series) {
  const size_t n = series.size();
  const size_t most = std::max<size_t>(1, n / 4);
  size_t length = std::min(most, static_cast<size_t>(std::cbrt(static_cast<double>(n)) + 0.5));
  const double squares = squares_around_mean(series);
  if (squares == 0) return length;
  const double mean = mean_of(series);
  const double chance = 2 / std::sqrt(static_cast<double>(n));
  for (size_t lag = length + 1; lag <= most; ++lag) {
    double products = 0;
    for (size_t i = lag; i < n; ++i) products += (series[i] - mean) * (series[i - lag] - mean);
    if (std::abs(products) > chance * squares) length = lag;
  }
  return length;
}

namespace {

/// Calls take(from, count) for the blocks of a draw: they wrap around the end.
template <typename Take>
void for_each_block(RandomNumbers& random, size_t size, size_t block, const Take& take) {
  for (size_t filled = 0; filled < size; filled += block) take(random.below(size), std::min(block, size - filled));
}

}  // namespace

std::vector<double> resampled(const std::vector<double>& series, Location location, size_t block, size_t draws) {
  RandomNumbers random(kDrawSeed);
  std::vector<double> twice = series;  // so that no block wraps around
  twice.insert(twice.end(), series.begin(), series.end());
  std::vector<double> middles;
  if (location == Location::mean) {
    std::vector<double> sums(twice.size() + 1, 0);  // of the values before each
    for (size_t i = 0; i < twice.size(); ++i) sums[i + 1] = sums[i] + twice[i];
    for (size_t draw = 0; draw < draws; ++draw) {
      double sum = 0;
      for_each_block(random, series.size(), block,
                     [&](size_t from, size_t count) { sum += sums[from + count] - sums[from]; });
      middles.push_back(sum / static_cast<double>(series.size()));
    }
  } else {
    std::vector<double> drawn;
    for (size_t draw = 0; draw < draws; ++draw) {
      drawn.clear();
      for_each_block(random, series.size(), block, [&](size_t from, size_t count) {
        const auto first = twice.begin() + static_cast<std::ptrdiff_t>(from);
        drawn.insert(drawn.end(), first, first + static_cast<std::ptrdiff_t>(count));
      });
      middles.push_back(median_in_place(drawn));
    }
  }
  std::sort(middles.begin(), middles.end());
  return middles;
}

double standard_error(const std::vector<double>& series, Location location) {
  const size_t block = block_length(series);
  const std::vector<double> middles = resampled(series, location, block, kDraws);
  // Half of what lies between the quantiles of a normal variable at one deviation: heavy tails do not count twice.
  const double narrow = (quantile_of(middles, 0.8413) - quantile_of(middles, 0.1587)) / 2;
  const double wide = (middles.back() - middles.front()) / 6;  // a lumpy distribution of middles
  const double blocks = std::max(2.0, static_cast<double>(series.size()) / static_cast<double>(block));
  const double widened = student_quantile(kWideningQuantile, blocks - 1) / normal_quantile(kWideningQuantile);
  return std::max(narrow, wide) * std::sqrt(blocks / (blocks - 1)) * widened;
}

}  // namespace cgpu
