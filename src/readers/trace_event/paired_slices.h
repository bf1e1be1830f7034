// Slices from their beginnings and ends. O(n log n).
//
// Synchronous ones (B, E) pair on their thread, asynchronous ones (b, e; S, F) among the events of one key, in order of
// time, at equal times in the order of the file. An end without a name ends the innermost open slice, one with a name
// the innermost open slice of that name, whatever else is open, or one that begins at the same time further down in the
// file. A slice that is never ended lasts until the last moment of the trace. Asynchronous slices get tracks of their
// own: the slices that one key has open at one time are a tree, and the trees whose roots have one name in one process
// share as many lanes as they need.
#pragma once

#include "model/run.h"
#include "readers/trace_event/parts.h"

namespace cgpu::trace_event {

/// Adds the slices to `run` in the order of the file, and what could not be paired to its notes and counts.
void pair_slices(const Parts& parts, Run& run);

}  // namespace cgpu::trace_event
