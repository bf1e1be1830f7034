#include "links/clock_drift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/lower_median.h"

namespace cgpu {

namespace {

constexpr size_t kFewestMoments = 16;
/// Clocks that agree as well as this are as good as one.
constexpr int64_t kAgree = 1'000;

/// Median distance from the median.
int64_t scatter(std::vector<int64_t> values) {
  const int64_t middle = lower_median(values);
  for (int64_t& value : values) value = std::abs(value - middle);
  return lower_median(std::move(values));
}

}  // namespace

std::optional<RunClock::Drift> drift_of(std::vector<SameMoment> moments) {
  if (moments.size() < kFewestMoments) return {};
  std::ranges::stable_sort(moments, [](const SameMoment& a, const SameMoment& b) { return a.time < b.time; });
  const size_t half = moments.size() / 2;
  std::vector<double> slopes;
  for (size_t i = 0; i + half < moments.size(); ++i) {
    const int64_t time = moments[i + half].time - moments[i].time;
    if (time <= 0) continue;
    slopes.push_back(static_cast<double>(moments[i + half].ahead - moments[i].ahead) / static_cast<double>(time));
  }
  if (slopes.empty()) return {};
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>((slopes.size() - 1) / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  RunClock::Drift drift{*middle, moments[half].time, 0};
  if (std::abs(drift.rate) > kFastestClock) return {};
  std::vector<int64_t> with;
  std::vector<int64_t> without;
  for (const SameMoment& moment : moments) {
    without.push_back(moment.ahead);
    with.push_back(moment.ahead - drift.ahead_at(moment.time));
  }
  drift.ahead = lower_median(with);
  const int64_t before = scatter(std::move(without));
  if (before < kAgree || 2 * scatter(std::move(with)) > before) return {};
  return drift;
}

}  // namespace cgpu
