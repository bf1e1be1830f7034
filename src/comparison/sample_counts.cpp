#include "comparison/sample_counts.h"

#include <algorithm>
#include <cmath>

#include "analysis/common/student.h"

namespace cgpu {

std::optional<RatioBounds> ratio_of_counts(double a, double b, double share) {
  const double n = a + b;
  if (!(n > 0)) return std::nullopt;
  const double z = normal_quantile(0.5 + share / 2);
  const double p = b / n;
  const auto width = [&](double term) { return z * std::sqrt(std::max(0.0, term)); };
  const double below = 2 * b + z * z - 1 - width(z * z - 2 - 1 / n + 4 * p * (a + 1));
  const double above = 2 * b + z * z + 1 + width(z * z + 2 - 1 / n + 4 * p * (a - 1));
  const double scale = 2 * (n + z * z);
  const double low = b == 0 ? 0 : std::max(0.0, below / scale);
  const double high = a == 0 ? 1 : above / scale;
  RatioBounds bounds{.low = low / (1 - low), .high = std::nullopt};
  if (high < 1) bounds.high = high / (1 - high);
  return bounds;
}

bool may_be_same(double a, double b, double share) {
  const std::optional<RatioBounds> bounds = ratio_of_counts(a, b, share);
  return !bounds || (bounds->low <= 1 && (!bounds->high || *bounds->high >= 1));
}

}  // namespace cgpu
