// A comparison in one line: both times, the change, the causes that changed most, and whether the change is certain.
#pragma once

#include <string>
#include <vector>

#include "comparison/explained_causes.h"
#include "comparison/iteration_words.h"

namespace cgpu {

/// "An iteration: 1.211 s -> 1.096 s, -9.5 % (-115.0 ms): softmax -109.0 ms, bmm -89.0 ms, idle (host_code) +42.0 ms;
/// certain.", with a newline. `time`: of `causes`, ns; neither is 0. Causes are named that are certain and
/// have a tenth of the change or more, three at most; where the change is within noise that is said instead.
std::string change_headline(const Comparison& comparison, const std::vector<ExplainedCause>& causes,
                            const PerSide<int64_t>& time, const NoiseOfTime& noise);

}  // namespace cgpu
