// The normal distribution and Student's t, by Boost.Math: shares and quantiles, exact to about 1e-13 of their size. Of
// what is no number, or no share between 0 and 1, they are NaN; the quantiles of 0 and 1 are infinite.
#pragma once

namespace cgpu {

/// The share of a standard normal variable below `z`, and its inverse.
double normal_share(double z);
double normal_quantile(double share);

/// The share of Student's t with `freedom` degrees of freedom (> 0) below `t`, and its inverse.
double student_share(double t, double freedom);
double student_quantile(double share, double freedom);

}  // namespace cgpu
