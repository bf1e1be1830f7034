// Flows between slices, as links of kind `flow`. O(n log n).
//
// The events of one key in order of time are a chain: each step and finish is linked to the start or step before it. An
// event belongs to the slice that names the flow itself, else to the innermost slice around it on its thread; a plain
// finish belongs to the next slice that begins there.
#pragma once

#include "model/run.h"
#include "readers/trace_event/parts.h"

namespace cgpu::trace_event {

/// All slices must be there.
void link_flows(const Parts& parts, Run& run);

}  // namespace cgpu::trace_event
