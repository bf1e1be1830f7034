// Flows between slices, as links of kind `flow`. O(n log n).
//
// The parts of one key in order of time are a chain: each step and finish is linked to the start or step before it. A
// part belongs to the slice that says so itself, else to the innermost one around it on its thread, a plain finish to
// the next one that begins there.
#pragma once

#include "model/run.h"
#include "readers/trace_event/parts.h"

namespace cgpu::trace_event {

/// All slices must be there.
void link_flows(const Parts& parts, Run& run);

}  // namespace cgpu::trace_event
