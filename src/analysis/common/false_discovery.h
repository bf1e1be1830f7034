// Many tests at once: Benjamini and Hochberg, "Controlling the false discovery rate", 1995. O(n log n).
#pragma once

#include <vector>

namespace cgpu {

/// For each test the smallest rate of false discoveries at which it counts as one: min over ranks j >= i of p_j n / j.
std::vector<double> adjusted_chances(const std::vector<double>& chances);

}  // namespace cgpu
