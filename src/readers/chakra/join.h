// An execution trace beside a profile of the same run: which op is which slice.
#pragma once

#include <vector>

#include "model/run.h"

namespace cgpu::chakra {

/// Gives every execution trace to the profile of its process and removes it from the list; the nodes that are in the
/// profile get their duration there. They are found by the profiler's number of the call ("Record function id"), which
/// profiles have where the two were recorded together; else by their order on each thread, where all names and
/// autograd's numbers agree. The profile is that of the same process, else the only one. Reads the arguments of all ops
/// of the profile again. A trace that fits no profile stays as it is and says so. O(ops), without numbers of calls
/// times how often the trace's ops are repeated.
void join_execution_traces(std::vector<Run>& runs);

}  // namespace cgpu::chakra
