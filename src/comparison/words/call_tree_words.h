// How the call trees of two profiles differ, in words.
#pragma once

#include <string>

#include "comparison/comparison.h"
#include "table/marked_text.h"

namespace cgpu {

/// By the metric that `compare_call_tree` compares: the whole of each side, and the frames whose own share of it
/// changed most. "" where a side has no call tree.
MarkedText call_tree_words(const Comparison& comparison);

/// "The call trees have no metric in common: A has task-clock (ns), B cycles." "" where a side has no call tree.
std::string unlike_metrics_words(const Comparison& comparison);

}  // namespace cgpu
