#include "comparison/sides/iteration_spread.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "analysis/common/false_discovery.h"
#include "analysis/common/rank_sum.h"
#include "analysis/common/statistics.h"
#include "analysis/common/student.h"
#include "comparison/comparison.h"
#include "comparison/tables/compared_columns.h"

namespace cgpu {

namespace {

constexpr double kChance = 0.05;

/// The square of the standard error of the mean.
double squared_error(const std::vector<int64_t>& times) {
  const double deviation = sample_deviation(times);
  return deviation * deviation / static_cast<double>(times.size());
}

/// The chance that all values of one side lie above all of the other, where they do: of all orders of n and m values
/// two are like that. Else 1.
double chance_of_lying_apart(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  const auto [least_a, most_a] = std::minmax_element(a.begin(), a.end());
  const auto [least_b, most_b] = std::minmax_element(b.begin(), b.end());
  if (*most_a >= *least_b && *most_b >= *least_a) return 1;
  double orders = 1;  // (n + m) over n
  for (size_t i = 1; i <= a.size(); ++i) orders *= static_cast<double>(b.size() + i) / static_cast<double>(i);
  return 2 / orders;
}

/// What is worth a word, ns of an iteration on one device.
double least_change(const Comparison& comparison) {
  return kLeastShareOfChange * per_device_iteration(comparison, Side::a, comparison.totals(Side::a).time);
}

/// The chance that one side lies above the other as far as it does.
double chance_of_shift(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  const auto reals = [](const std::vector<int64_t>& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  return rank_sum_test(reals(a), reals(b)).p;
}

/// Of sums by iteration over `parts` runs or devices, of which each is meant.
std::optional<Spread> spread_of_sums(const Comparison& comparison, PerSide<std::vector<int64_t>> sums,
                                     const PerSide<size_t>& parts) {
  if (!comparison.per_iteration()) return std::nullopt;
  for (const Side side : kSides) {
    const SideTotals& totals = comparison.totals(side);
    size_t of_all_runs = SIZE_MAX;
    for (const std::vector<int64_t>& run : totals.iteration_times) of_all_runs = std::min(of_all_runs, run.size());
    sums[side].resize(totals.iteration_times.empty() ? 0 : of_all_runs);
    for (int64_t& one : sums[side]) one /= static_cast<int64_t>(std::max<size_t>(1, parts[side]));
  }
  return spread_between(sums, least_change(comparison));
}

}  // namespace

std::optional<Spread> spread_between(const PerSide<std::vector<int64_t>>& values, double least) {
  constexpr size_t kFewest = 3;
  const auto& [a, b] = values;
  if (a.size() < kFewest || b.size() < kFewest) return std::nullopt;
  const double part_a = squared_error(a);
  const double part_b = squared_error(b);
  const double error = std::sqrt(part_a + part_b);
  const auto count = [](const std::vector<int64_t>& times) { return static_cast<double>(times.size()); };
  const double freedom =
      error == 0 ? count(a) + count(b) - 2
                 : std::pow(part_a + part_b, 2) / (part_a * part_a / (count(a) - 1) + part_b * part_b / (count(b) - 1));
  const double delta = mean(b) - mean(a);
  const double reach = student_quantile(1 - kChance / 2, freedom) * error;
  const double far = std::abs(delta);
  double of_means = far > 0 ? 0 : 1;
  if (error > 0) of_means = 2 * (1 - student_share(far / error, freedom));
  of_means = std::min(of_means, chance_of_lying_apart(a, b));
  Spread spread{.delta = delta,
                .low = delta - reach,
                .high = delta + reach,
                .differs = of_means <= kChance,
                .median = {median(a), median(b)},
                .chance = of_means};
  if (std::abs(spread.median.b - spread.median.a) > least) {
    constexpr double kRounding = 1e-9;  // so that the answer is the same the other way round
    const double of_medians = chance_of_shift(a, b);
    spread.median_differs = of_medians <= kChance + kRounding;
    if ((spread.median.b > spread.median.a) == (delta > 0)) spread.chance = std::min(of_means, of_medians - kRounding);
  }
  return spread;
}

std::optional<Spread> iteration_spread(const Comparison& comparison) {
  // Ranks wait for each other: an iteration of all of them is one.
  PerSide<std::vector<int64_t>> times;
  for (const Side side : kSides) {
    for (const std::vector<int64_t>& run : comparison.totals(side).iteration_times) {
      times[side].resize(std::max(times[side].size(), run.size()));
      for (size_t i = 0; i < run.size(); ++i) times[side][i] += run[i];
    }
  }
  return spread_of_sums(
      comparison, std::move(times),
      {comparison.totals(Side::a).iteration_times.size(), comparison.totals(Side::b).iteration_times.size()});
}

double chance_of_certain_causes(const Comparison& comparison) {
  const double least = least_change(comparison);
  std::vector<double> chances;
  for (const Cause& cause : comparison.causes()) {
    const bool is_large = std::ranges::any_of(
        kSides, [&](Side side) { return per_device_iteration(comparison, side, cause.time[side]) >= least; });
    const std::optional<Spread> spread = is_large ? spread_of_series(comparison, cause.by_iteration) : std::nullopt;
    if (spread) chances.push_back(spread->chance);
  }
  if (chances.empty()) return kChance;
  const std::vector<double> adjusted = adjusted_chances(chances);
  const auto certain = std::ranges::count_if(adjusted, [](double chance) { return chance <= kChance; });
  return kChance * static_cast<double>(std::max<std::ptrdiff_t>(1, certain)) / static_cast<double>(chances.size());
}

std::optional<Spread> spread_of_series(const Comparison& comparison,
                                       const PerSide<std::vector<int64_t>>& by_iteration) {
  return spread_of_sums(comparison, by_iteration,
                        {comparison.totals(Side::a).devices, comparison.totals(Side::b).devices});
}

std::optional<bool> is_certain(const Comparison& comparison, const PerSide<std::vector<int64_t>>& by_iteration) {
  const std::optional<Spread> spread = spread_of_series(comparison, by_iteration);
  if (!spread) return std::nullopt;
  if (spread->chance <= comparison.chance_of_certain_causes()) return true;
  const std::optional<Spread> whole = spread->differs ? iteration_spread(comparison) : std::nullopt;
  return whole && whole->differs && 2 * spread->delta / whole->delta > 1;
}

}  // namespace cgpu
