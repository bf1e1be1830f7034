#include "gate/check/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/common/order_statistics.h"
#include "analysis/common/rank_sum.h"
#include "analysis/common/student.h"

namespace cgpu {

namespace {

constexpr double kConfidence = 0.95;       // of the intervals over 4 runs or more, two-sided
constexpr double kFewRunsQuantile = 0.99;  // of the noise band between runs, one-sided
constexpr double kBandQuantile = 0.995;    // of the noise band within runs, one-sided

std::vector<double> logs_of(const Sample& sample) {
  std::vector<double> logs;
  for (const double value : sample.values) logs.push_back(std::log(value));
  return logs;
}

/// Variance of the mean of a side as far as its runs know it from within; absent where one of them does not.
std::optional<double> variance_within(const Sample& sample, double between_runs) {
  double sum = 0;
  for (const std::optional<double>& error : sample.errors) {
    if (!error) return std::nullopt;
    sum += *error * *error + between_runs * between_runs;
  }
  const auto runs = static_cast<double>(sample.size());
  return sum / (runs * runs);
}

/// What the middle of a drifting run depends on: how far it had come.
double drift_band(const Sample& sample) {
  double sum = 0;
  for (const double drift : sample.drifts) sum += std::abs(drift) / 2;
  return sum / static_cast<double>(sample.size());
}

bool all_equal(const Sample& baseline, const Sample& candidate) {
  const auto equal = [&](double value) { return value == baseline.values.front(); };
  return std::all_of(baseline.values.begin(), baseline.values.end(), equal) &&
         std::all_of(candidate.values.begin(), candidate.values.end(), equal);
}

}  // namespace

const char* text_of(Estimate::Method method) {
  switch (method) {
    case Estimate::Method::rank_sum:
      return "rank-sum test over runs";
    case Estimate::Method::between_runs:
      return "noise band between runs";
    case Estimate::Method::within_runs:
      return "noise band within runs";
    case Estimate::Method::none:
      break;
  }
  return "no interval";
}

Estimate estimate_change(const Sample& baseline, const Sample& candidate, double between_runs) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::vector<double> a = logs_of(baseline);
  const std::vector<double> b = logs_of(candidate);
  const auto runs_a = static_cast<double>(a.size());
  const auto runs_b = static_cast<double>(b.size());
  const double shift = mean_of(b) - mean_of(a);
  Estimate estimate;
  estimate.same = all_equal(baseline, candidate);

  // What the runs show of each other.
  const double freedom = runs_a + runs_b - 2;
  const double squares = squares_around_mean(a) + squares_around_mean(b);
  double error_between = 0;
  if (freedom > 0) {
    estimate.spread = std::sqrt(squares / freedom);
    error_between = estimate.spread * std::sqrt(1 / runs_a + 1 / runs_b);
  }

  if (a.size() >= kRunsForRanks && b.size() >= kRunsForRanks) {
    const ShiftInterval interval = shift_between(a, b, kConfidence);
    const RankSum test = rank_sum_test(a, b);
    estimate.method = Estimate::Method::rank_sum;
    estimate.change = std::expm1(interval.shift);
    estimate.low = std::expm1(interval.low);
    estimate.high = std::expm1(interval.high);
    estimate.p_rank = test.p;
    estimate.delta = cliffs_delta(baseline.values, candidate.values);
    if (error_between > 0) {
      estimate.p_slower = 1 - student_share(shift / error_between, freedom);
      estimate.p_faster = student_share(shift / error_between, freedom);
    } else {
      estimate.p_slower = shift > 0 ? 0 : 1;
      estimate.p_faster = shift < 0 ? 0 : 1;
    }
    return estimate;
  }

  double band = 0;
  const auto within_a = variance_within(baseline, between_runs);
  const auto within_b = variance_within(candidate, between_runs);
  if (a.size() > 1 && b.size() > 1) {
    estimate.spread = std::max(estimate.spread, between_runs);
    const double error = estimate.spread * std::sqrt(1 / runs_a + 1 / runs_b);
    estimate.method = Estimate::Method::between_runs;
    band = student_quantile(kFewRunsQuantile, freedom) * error;
    estimate.p_slower = 1 - student_share(shift / error, freedom);
    estimate.p_faster = student_share(shift / error, freedom);
  } else if (within_a && within_b) {
    const double error = std::sqrt(*within_a + *within_b);
    const double drift = drift_band(baseline) + drift_band(candidate);
    estimate.method = Estimate::Method::within_runs;
    estimate.spread = error / std::sqrt(1 / runs_a + 1 / runs_b);
    band = normal_quantile(kBandQuantile) * error + drift;
    const double beyond = std::max(0.0, std::abs(shift) - drift) / error;
    estimate.p_slower = shift > 0 ? 1 - normal_share(beyond) : 1;
    estimate.p_faster = shift < 0 ? 1 - normal_share(beyond) : 1;
  }
  estimate.change = std::expm1(shift);
  estimate.low = estimate.method == Estimate::Method::none ? -1 : std::expm1(shift - band);
  estimate.high = estimate.method == Estimate::Method::none ? kInfinite : std::expm1(shift + band);
  return estimate;
}

}  // namespace cgpu
