// The times in which host threads waited for other ranks: in a blocking collective of the host (MPI, Gloo), from its
// start until the last rank has begun it too.
#pragma once

#include <vector>

#include "analysis/idle/host_causes.h"
#include "links/collective_series.h"
#include "model/run.h"

namespace cgpu {

/// The waits of each run, in ns on its own clock; none where the clocks of the ranks cannot be compared. O(n) in the
/// slices.
std::vector<HostCauses::Waits> rank_waits(const Session& session);
/// The same where the collectives of the hosts are known. O(n) in these.
std::vector<HostCauses::Waits> rank_waits(const Session& session, const std::vector<CollectiveSeries>& host);

}  // namespace cgpu
