// Words about work of the forward pass that one run alone does again in its backward pass, as checkpoints of
// activations have it: framework ops below the evaluation of a backward function, which the other side does not have
// there, of names and shapes that the run also has outside of it.
//
// O(nodes of the trees times their depth).
#pragma once

#include <string>

#include "comparison/comparison.h"

namespace cgpu {

/// "" where neither side does.
std::string repeated_work_words(const Comparison& comparison);

}  // namespace cgpu
