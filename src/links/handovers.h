// Work that one thread puts into a queue and another thread takes out.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Makes the slice that put work into a queue the parent of the slice that executes it, if that has no parent on its
/// own thread, so that the launches in it belong to the framework op that requested the work. Only forward in time, so
/// that parents form no cycle. O(n) in the handovers. Call after nest_host_slices.
void join_handovers(Timeline& timeline);

}  // namespace cgpu
