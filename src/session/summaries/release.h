// Releases the timeline of a rank after its tables have been made.
//
// The collectives stay, because other ranks need them to align clocks and to find which rank waited for which. The
// other members of the run stay too: identity, notes, devices, call trees, measured launches; of groups of ranks only
// the run's own place.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Replaces the timeline of a completed run by its tracks and its collectives, on devices and in blocking host calls.
/// Run::released_totals describes the whole timeline. O(n) in the slices.
void release_timeline(Run& run);

}  // namespace cgpu
