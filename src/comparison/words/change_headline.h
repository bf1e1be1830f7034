// A comparison in one line: both times, the change, the causes that changed most, and whether the change is certain.
// What is certain comes first.
#pragma once

#include <string>
#include <vector>

#include "comparison/attribution/explained_causes.h"
#include "comparison/words/iteration_words.h"
#include "table/marked_text.h"

namespace cgpu {

/// "An iteration: 1.211 s -> 1.096 s, -9.5 % (-115.0 ms): softmax -109.0 ms, bmm -89.0 ms, idle (host_code) +42.0 ms;
/// certain.", with a newline. `time`: of `causes`, ns; neither is 0. Causes are named that are certain and
/// have a tenth of the change or more, three at most. Where the change is within what iterations differ by: "An
/// iteration: idle (data_loading) -33.8 ms; the median 177.0 ms -> 123.0 ms, -30.5 % (-54.0 ms); certain. On average
/// 154.9 ms -> 141.1 ms, -8.9 % (-13.8 ms); within noise.", with the causes that have a tenth of what iterations differ
/// by and half a percent of the time of A, and the median where it changed for sure. Where a few slow iterations of one
/// side make the change: "not certain: 3 of 12 iterations of B take far longer".
MarkedText change_headline(const Comparison& comparison, const std::vector<ExplainedCause>& causes,
                           const PerSide<int64_t>& time, const NoiseOfTime& noise);

/// For whom collectives wait longer, or less long: "rank 3", or "other ranks".
std::string awaited_words(const Comparison& comparison, const Cause& waiting);

}  // namespace cgpu
