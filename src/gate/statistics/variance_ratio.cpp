#include "gate/statistics/variance_ratio.h"

#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

namespace cgpu {

double variance_ratio_share(double ratio, double freedom_above, double freedom_below) {
  if (std::isinf(ratio)) return 1;
  return cdf(boost::math::fisher_f_distribution<double>(freedom_above, freedom_below), ratio);
}

double variance_ratio_quantile_of_two(double share, double freedom_below) {
  return freedom_below / 2 * (std::pow(1 - share, -2 / freedom_below) - 1);
}

}  // namespace cgpu
