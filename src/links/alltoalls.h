// All-to-alls that the profile does not name as such.
#pragma once

#include "model/run.h"

namespace cgpu {

/// NCCL's kernels of all-to-alls are called as those of sends and receives are (SendRecv). Where one that the profile
/// says nothing else of was launched within something that is called an all-to-all ("nccl:all_to_all",
/// "c10d::alltoall_base_"), the timeline gets a collective of that name, "alltoall". After launches, parents
/// and transfers are linked. O(n).
void name_alltoalls(Timeline& timeline);

}  // namespace cgpu
