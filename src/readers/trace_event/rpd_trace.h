// Chrome traces that rpd2tracing makes of the databases of rocmProfileData: processes "GPU2", whose rows are queues,
// and arrows "api_op" from the calls to what they started.
#pragma once

#include "model/run.h"
#include "readers/trace_event/parts.h"

namespace cgpu::trace_event {

/// Gives calls and device ops their kinds, and both ends of an arrow one correlation id. Nothing where the trace is
/// another one. O(n log n) in the slices.
void read_rpd_trace(const Parts& parts, Run& run);

}  // namespace cgpu::trace_event
