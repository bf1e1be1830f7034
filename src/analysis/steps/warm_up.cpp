#include "analysis/steps/warm_up.h"

#include <algorithm>

namespace cgpu {

size_t count_warm_up(const std::vector<int64_t>& durations) {
  if (durations.size() < 3) return 0;
  std::vector<int64_t> sorted = durations;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double limit = kWarmUp * static_cast<double>(*middle);
  const auto steady = std::find_if(durations.begin(), durations.end(),
                                   [&](int64_t duration) { return static_cast<double>(duration) <= limit; });
  return static_cast<size_t>(steady - durations.begin());
}

}  // namespace cgpu
