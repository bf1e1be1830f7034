// Which backward op belongs to which forward op.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Adds a Link (forward_backward) from the forward op to its backward op: by the profiler's `fwdbwd` flows where it
/// wrote them, else by the autograd sequence number: the innermost op of the forward pass with the number (it names no
/// forward thread) and the outermost op of the backward pass with it (it names one). Source: libkineto, which makes its
/// flows by the same rule. Flows that end nowhere are counted in notes (unmatched_flow).
void link_forward_backward(Run& run);

}  // namespace cgpu
