#include "analysis/common/sample_counts.h"

#include <algorithm>
#include <cmath>

#include "analysis/common/student.h"

namespace cgpu {

std::optional<ShareBounds> share_of_counts(double k, double n, double share) {
  if (!(n > 0)) return std::nullopt;
  const double z = normal_quantile(0.5 + share / 2);
  const double p = k / n;
  const auto width = [&](double term) { return z * std::sqrt(std::max(0.0, term)); };
  const double below = 2 * k + z * z - 1 - width(z * z - 2 - 1 / n + 4 * p * (n - k + 1));
  const double above = 2 * k + z * z + 1 + width(z * z + 2 - 1 / n + 4 * p * (n - k - 1));
  const double scale = 2 * (n + z * z);
  // Of less than half a sample the correction is larger than what it corrects.
  const double low = k == 0 ? 0 : std::clamp(below / scale, 0.0, p);
  const double high = k == n ? 1 : std::clamp(above / scale, p, 1.0);
  return ShareBounds{low, high};
}

std::optional<RatioBounds> ratio_of_counts(double a, double b, double share) {
  const std::optional<ShareBounds> of_b = share_of_counts(b, a + b, share);
  if (!of_b) return std::nullopt;
  RatioBounds bounds{.low = of_b->low / (1 - of_b->low), .high = std::nullopt};
  if (of_b->high < 1) bounds.high = of_b->high / (1 - of_b->high);
  return bounds;
}

bool may_be_same(double a, double b, double share) {
  const std::optional<RatioBounds> bounds = ratio_of_counts(a, b, share);
  return !bounds || (bounds->low <= 1 && (!bounds->high || *bounds->high >= 1));
}

}  // namespace cgpu
