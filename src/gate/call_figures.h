// The call paths of a run that the gate keeps (figures.h). O(n log n) in the nodes of the tree.
#pragma once

#include "gate/figures.h"
#include "model/call_tree.h"

namespace cgpu {

/// Of the functions whose main metric is largest here and below, `most` at most. What a tree without a main metric has
/// is not known.
CallFigures call_figures(const CallTree& tree, size_t most);

}  // namespace cgpu
