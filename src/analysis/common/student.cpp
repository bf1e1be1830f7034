#include "analysis/common/student.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace cgpu {

namespace {

namespace policies = boost::math::policies;
/// What is no number has no share and no quantile, rather than an exception.
using Policy =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using Student = boost::math::students_t_distribution<double, Policy>;

}  // namespace

double normal_share(double z) {
  return cdf(Normal(), z);
}

double normal_quantile(double share) {
  return quantile(Normal(), share);
}

double student_share(double t, double freedom) {
  return cdf(Student(freedom), t);
}

double student_quantile(double share, double freedom) {
  return quantile(Student(freedom), share);
}

}  // namespace cgpu
