// Work that one thread put into a queue and another one took out.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Makes the slice that put the work into the queue the parent of the one that works it off, where that has no parent
/// on its own thread: what it launches then belongs to the framework op that asked for it. Only forward in time, so
/// that parents form no circle. O(n) in the handovers. Call after nest_host_slices.
void join_handovers(Timeline& timeline);

}  // namespace cgpu
