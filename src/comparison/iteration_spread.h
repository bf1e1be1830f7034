// By how much the mean times of iterations differ between two runs, as the spread of the iterations tells: Welch's
// interval of 95 % for the difference of two means. It says nothing of how runs differ among themselves: for that, runs
// have to be repeated (docs/gate.md).
#pragma once

#include <optional>

#include "comparison/comparison.h"

namespace cgpu {

struct Spread {
  double delta = 0;  // ns, mean of B minus mean of A
  double low = 0;
  double high = 0;
};

/// Absent where a side has fewer than three iterations.
std::optional<Spread> iteration_spread(const Comparison& comparison);

}  // namespace cgpu
