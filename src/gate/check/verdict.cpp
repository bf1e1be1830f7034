#include "gate/check/verdict.h"

#include <algorithm>
#include <cmath>

#include "gate/statistics/random_numbers.h"

namespace cgpu {

const char* text_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::improvement:
      return "improvement";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::regression:
      break;
  }
  return "regression";
}

Verdict judge(const Estimate& estimate, double baseline, const Limits& limits) {
  if (estimate.same) return Verdict::pass;
  const bool matters = std::abs(estimate.change) * baseline > limits.floor;
  const bool has_interval = estimate.method != Estimate::Method::none;
  if (matters && has_interval && estimate.low > limits.tolerance) return Verdict::regression;
  if (matters && has_interval && estimate.high < 0) return Verdict::improvement;
  if (matters && estimate.change > limits.tolerance) return Verdict::inconclusive;
  const bool could_matter = !limits.may_hide && estimate.high * baseline > limits.floor;
  if (has_interval && could_matter && estimate.high > kWideInterval * limits.tolerance) return Verdict::inconclusive;
  return Verdict::pass;
}

double power_of_check(double change, double spread, size_t baseline_runs, size_t candidate_runs, double tolerance,
                      bool from_within) {
  constexpr size_t kPairs = 400;
  RandomNumbers random(20260103);
  // What a run knows of its own noise is that part of the spread which is not between runs.
  const double within = std::sqrt(std::max(0.0, spread * spread - kBetweenRuns * kBetweenRuns));
  const std::optional<double> known = from_within ? std::optional(within) : std::nullopt;
  const auto side = [&](size_t runs, double shift) {
    Sample sample;
    for (size_t run = 0; run < runs; ++run) sample.add(std::exp(shift + spread * random.normal()), known);
    return sample;
  };
  size_t found = 0;
  for (size_t pair = 0; pair < kPairs; ++pair) {
    const Sample baseline = side(baseline_runs, 0);
    const Sample candidate = side(candidate_runs, std::log1p(change));
    if (judge(estimate_change(baseline, candidate), 1, {tolerance, 0, false}) == Verdict::regression) ++found;
  }
  return static_cast<double>(found) / kPairs;
}

}  // namespace cgpu
