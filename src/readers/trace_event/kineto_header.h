// What the top-level keys of a Kineto trace say about the run.
#pragma once

#include "model/run.h"
#include "readers/trace_event/top_level.h"

namespace cgpu::trace_event {

/// Fills identity, devices, groups, clock and metadata of `run`. Only facts that are known to be harmless are taken
/// over; what looks like a credential is counted in notes (credentials_present) and goes nowhere.
void apply_header(const TopLevel& top, Run& run);

}  // namespace cgpu::trace_event
