#include "analysis/common/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cgpu {

namespace {
/// Between a and b >= a. The difference is taken in integers, so that large neighbours lose nothing.
double between(int64_t a, int64_t b, double share) {
  return static_cast<double>(a) + static_cast<double>(b - a) * share;
}

/// Summed in integers, divided once.
long double exact_mean(const std::vector<int64_t>& values) {
  const int64_t total = std::accumulate(values.begin(), values.end(), int64_t{0});
  return static_cast<long double>(total) / static_cast<long double>(values.size());
}
}  // namespace

double mean(const std::vector<int64_t>& values) {
  if (values.empty()) return 0;
  return static_cast<double>(exact_mean(values));
}

double sample_deviation(const std::vector<int64_t>& values) {
  if (values.size() < 2) return 0;
  const long double middle = exact_mean(values);
  long double squares = 0;
  for (const int64_t value : values) {
    const long double difference = static_cast<long double>(value) - middle;
    squares += difference * difference;
  }
  return static_cast<double>(std::sqrt(squares / static_cast<long double>(values.size() - 1)));
}

double quantile_of_sorted(const std::vector<int64_t>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  if (below + 1 >= sorted.size()) return static_cast<double>(sorted.back());
  return between(sorted[below], sorted[below + 1], position - static_cast<double>(below));
}

double median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return static_cast<double>(*middle);
  return between(*std::max_element(values.begin(), middle), *middle, 0.5);
}

int64_t DurationStatistics::min() const {
  return values_.empty() ? 0 : *std::min_element(values_.begin(), values_.end());
}

int64_t DurationStatistics::max() const {
  return values_.empty() ? 0 : *std::max_element(values_.begin(), values_.end());
}

}  // namespace cgpu
