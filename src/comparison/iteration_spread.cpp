#include "comparison/iteration_spread.h"

#include <cmath>
#include <vector>

#include "analysis/common/statistics.h"
#include "analysis/common/student.h"

namespace cgpu {

namespace {

std::vector<int64_t> iteration_times(const SideTotals& totals) {
  std::vector<int64_t> times;
  for (const std::vector<int64_t>& run : totals.iteration_times) times.insert(times.end(), run.begin(), run.end());
  return times;
}

/// The square of the standard error of the mean.
double squared_error(const std::vector<int64_t>& times) {
  const double deviation = sample_deviation(times);
  return deviation * deviation / static_cast<double>(times.size());
}

}  // namespace

std::optional<Spread> iteration_spread(const Comparison& comparison) {
  constexpr size_t kFewest = 3;
  if (!comparison.per_iteration()) return std::nullopt;
  const std::vector<int64_t> a = iteration_times(comparison.totals(Side::a));
  const std::vector<int64_t> b = iteration_times(comparison.totals(Side::b));
  if (a.size() < kFewest || b.size() < kFewest) return std::nullopt;
  const double part_a = squared_error(a);
  const double part_b = squared_error(b);
  const double error = std::sqrt(part_a + part_b);
  const auto count = [](const std::vector<int64_t>& times) { return static_cast<double>(times.size()); };
  const double freedom =
      error == 0 ? count(a) + count(b) - 2
                 : std::pow(part_a + part_b, 2) / (part_a * part_a / (count(a) - 1) + part_b * part_b / (count(b) - 1));
  const double delta = mean(b) - mean(a);
  const double reach = student_quantile(0.975, freedom) * error;
  return Spread{delta, delta - reach, delta + reach};
}

}  // namespace cgpu
