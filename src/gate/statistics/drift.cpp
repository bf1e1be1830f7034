#include "gate/statistics/drift.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "analysis/common/order_statistics.h"
#include "analysis/common/student.h"

namespace cgpu {

Drift drift_of(const std::vector<double>& series) {
  const size_t n = series.size();
  Drift drift;
  if (n < 3) return drift;
  int64_t rises = 0;
  std::vector<double> slopes;
  slopes.reserve(n * (n - 1) / 2);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      rises += (series[j] > series[i] ? 1 : 0) - (series[j] < series[i] ? 1 : 0);
      slopes.push_back((series[j] - series[i]) / static_cast<double>(j - i));
    }
  }
  drift.end = median_of(std::move(slopes)) * static_cast<double>(n - 1);
  std::vector<double> sorted = series;
  std::sort(sorted.begin(), sorted.end());
  const auto term = [](double count) { return count * (count - 1) * (2 * count + 5); };
  double variance = term(static_cast<double>(n));
  for (size_t first = 0; first < n;) {
    size_t last = first;
    while (last < n && sorted[last] == sorted[first]) ++last;
    variance -= term(static_cast<double>(last - first));
    first = last;
  }
  if (variance <= 0 || rises == 0) return drift;
  const double z = (std::abs(static_cast<double>(rises)) - 1) / std::sqrt(variance / 18);
  drift.p = std::min(1.0, 2 * (1 - normal_share(z)));
  return drift;
}

}  // namespace cgpu
