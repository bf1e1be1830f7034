// Whether runs can be compared at all: that they did the same work on the same devices.
//
//   devices     the same devices, as many of them, as many ranks
//   shapes      of the device time in framework ops that both runs have, at least half is in ops that were called with
//               the same shapes; a changed batch changes nearly all, a changed program few
//   iterations  as many complete iterations; of runs without any, as many device ops within 1 %
//   clocks      recorded clock frequencies within 3 %
//
// What a profile does not record is not compared. O(size of the figures).
#pragma once

#include <string>
#include <vector>

#include "gate/figures/figures.h"

namespace cgpu {

inline constexpr const char* kDifferences[] = {"devices", "shapes", "iterations", "clocks"};

struct Difference {
  std::string kind;  // one of kDifferences
  std::string text;  // what is different
};

std::vector<Difference> differences_between(const RunFigures& a, const RunFigures& b);

/// "8 x NVIDIA H100 80GB HBM3, 4 ranks of 8"
std::string devices_text(const RunFigures& figures);

}  // namespace cgpu
