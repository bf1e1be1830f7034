// Letting the timeline of a rank go once its tables have been made of it.
//
// What stays is what ranks must know of each other: the collectives, by which clocks are aligned and it is found who
// waited for whom. Everything but the timeline stays too: identity, notes, devices, call trees, measured launches;
// of groups of ranks the run's place in them, not the others.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Puts in the place of a completed run's timeline its collectives on devices and in blocking host calls, with the
/// tracks; Run::released_totals says what the whole was. O(n) in the slices.
void release_timeline(Run& run);

}  // namespace cgpu
