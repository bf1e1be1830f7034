// Whether one variance is larger than another: Fisher's distribution of their ratio, by Boost.Math.
#pragma once

namespace cgpu {

/// The share of the ratio of two estimates of the same variance, of so many degrees of freedom (> 0), below `ratio`
/// (>= 0, may be infinite).
double variance_ratio_share(double ratio, double freedom_above, double freedom_below);

/// Its inverse for 2 degrees of freedom above, in closed form: of share 0 to below 1.
double variance_ratio_quantile_of_two(double share, double freedom_below);

}  // namespace cgpu
