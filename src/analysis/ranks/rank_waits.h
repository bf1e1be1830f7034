// When host threads waited for other ranks: in a blocking collective of the host, until the last rank has begun it.
#pragma once

#include <vector>

#include "analysis/idle/host_causes.h"
#include "model/run.h"

namespace cgpu {

/// For each run. Empty where the clocks of the session cannot be compared. O(n) in the slices.
std::vector<std::vector<HostCauses::Wait>> rank_waits(const Session& session);

}  // namespace cgpu
