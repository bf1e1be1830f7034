// Which backward op belongs to which forward op.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Adds a Link (forward_backward) from the forward op to its backward op, sorted by the forward op: by the profiler's
/// `fwdbwd` flows where it wrote them, else by the autograd sequence number: the innermost op of the forward pass with
/// the number (it names no forward thread) and the outermost op of the backward pass with it (it names one). Source:
/// libkineto, which makes its flows by the same rule. Returns how many flows end nowhere.
int64_t link_forward_backward(Timeline& timeline);

}  // namespace cgpu
