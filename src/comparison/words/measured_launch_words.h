// Two reports of a kernel profiler in words: which launches became slower or faster, kernel by kernel, and what limits
// them now. O(launches).
#pragma once

#include <string>

#include "comparison/comparison.h"
#include "table/marked_text.h"

namespace cgpu {

/// "" where a side has no measured launches.
MarkedText measured_launch_words(const Comparison& comparison);

}  // namespace cgpu
