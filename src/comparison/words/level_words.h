// Words about what most device work of one run lies in, and none of the other: a range or op of the host that only one
// has, such as the region that a compiler made.
//
// O(nodes of the trees times their depth).
#pragma once

#include <string>

#include "comparison/comparison.h"

namespace cgpu {

/// "" where there is no such range or op, or one side has none at all.
std::string level_words(const Comparison& comparison);

}  // namespace cgpu
