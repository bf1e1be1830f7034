// The call paths of a run that the gate keeps (figures.h). O(n log n) in the nodes of the tree, and in the length of
// the paths that are kept.
#pragma once

#include <string>

#include "gate/figures/figures.h"
#include "model/call_tree.h"

namespace cgpu {

/// Of the functions whose metric is largest here and below, `most` at most. `metric`: its name as people type it, ""
/// for the main one. Of a tree that has no such metric nothing is known.
CallFigures call_figures(const CallTree& tree, const std::string& metric, size_t most);

}  // namespace cgpu
