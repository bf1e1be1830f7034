// Which backward op belongs to which forward op.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Adds a Link (forward_backward) from each forward op to its backward op, sorted by the forward op. They are taken
/// from the profiler's `fwdbwd` flows where it wrote them. Else ops are joined by autograd's sequence number: the
/// innermost op with the number that names no forward thread (forward pass) and the outermost that names one (backward
/// pass); libkineto makes its flows by the same rule. Returns the number of flows without an op at one of their ends.
int64_t link_forward_backward(Timeline& timeline);

}  // namespace cgpu
