#include "analysis/common/student.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cgpu {

namespace {

/// I_x(a, b) for x < (a + 1) / (a + b + 2), where the fraction converges fast.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1;
  double d = 1 / std::max(kTiny, 1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m <= 500; ++m) {
    const auto step = [&](double term) {
      d = 1 + term * d;
      if (std::abs(d) < kTiny) d = kTiny;
      d = 1 / d;
      c = 1 + term / c;
      if (std::abs(c) < kTiny) c = kTiny;
      value *= c * d;
      return c * d;
    };
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    const double factor = step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::abs(factor - 1) < 1e-15) break;
  }
  const double front = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(front) * value / a;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x < (a + 1) / (a + b + 2) ? beta_fraction(a, b, x) : 1 - beta_fraction(b, a, 1 - x);
}

/// Where an increasing function reaches a value.
template <typename Function>
double inverse(const Function& function, double value) {
  double low = -1;
  double high = 1;
  while (function(low) > value && low > -1e300) low *= 2;
  while (function(high) < value && high < 1e300) high *= 2;
  for (int halvings = 0; halvings < 200 && high - low > 1e-11 * std::abs(high + low); ++halvings) {
    const double middle = (low + high) / 2;
    (function(middle) < value ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double normal_share(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double normal_quantile(double share) {
  return inverse(normal_share, share);
}

double student_share(double t, double freedom) {
  const double tail = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_quantile(double share, double freedom) {
  return inverse([freedom](double t) { return student_share(t, freedom); }, share);
}

}  // namespace cgpu
