#include "model/formula.h"

#include <algorithm>
#include <cmath>

namespace cgpu {

Formula::Arity Formula::arity(Op op) {
  switch (op) {
    case Op::sum:
    case Op::product:
    case Op::minimum:
    case Op::maximum:
      return {1, 1000};
    case Op::subtract:
    case Op::divide:
    case Op::power:
      return {2, 2};
    case Op::logarithm:
      return {1, 2};
    case Op::square_root:
    case Op::floor:
    case Op::ceil:
    case Op::strict_floor:
    case Op::strict_ceil:
      return {1, 1};
  }
  return {0, 0};
}

double Formula::apply(Op op, const double* a, uint32_t count) {
  const auto absent = [](double value) { return value != value; };
  const double* end = a + count;
  if (op == Op::sum || op == Op::subtract) {
    if (std::all_of(a, end, absent)) return kNoValue;
    double total = 0;
    for (const double* at = a; at != end; ++at) {
      if (!absent(*at)) total += op == Op::subtract && at != a ? -*at : *at;
    }
    return total;
  }
  if (std::any_of(a, end, absent)) return kNoValue;
  const double result = [&] {
    switch (op) {
      case Op::product: {
        double product = 1;
        for (const double* at = a; at != end; ++at) product *= *at;
        return product;
      }
      case Op::divide:
        return a[1] > 0 ? a[0] / a[1] : kNoValue;
      case Op::power:
        return std::pow(a[0], a[1]);
      case Op::square_root:
        return std::sqrt(a[0]);
      case Op::logarithm:
        return count == 1 ? std::log(a[0]) : std::log(a[0]) / std::log(a[1]);
      case Op::minimum:
        return *std::min_element(a, end);
      case Op::maximum:
        return *std::max_element(a, end);
      case Op::floor:
        return std::floor(a[0]);
      case Op::ceil:
        return std::ceil(a[0]);
      case Op::strict_floor:
        return std::ceil(a[0]) - 1;
      case Op::strict_ceil:
        return std::floor(a[0]) + 1;
      case Op::sum:
      case Op::subtract:
        break;
    }
    return kNoValue;
  }();
  return std::isfinite(result) ? result : kNoValue;
}

}  // namespace cgpu
