// The normal distribution and Student's t: shares and quantiles.
//
// Student's shares by the continued fraction of the incomplete beta function (Lentz's method; Abramowitz and Stegun,
// 26.5.8 and 26.7.1), quantiles by halving. Shares are exact to
// about 1e-12, quantiles to 1e-10 of their size.
#pragma once

namespace cgpu {

/// The share of a standard normal variable below `z`, and its inverse.
double normal_share(double z);
double normal_quantile(double share);

/// The share of Student's t with `freedom` degrees of freedom (> 0) below `t`, and its inverse.
double student_share(double t, double freedom);
double student_quantile(double share, double freedom);

}  // namespace cgpu
