// Calls that stand for a cause of idle time by what they launched or how long they took, not by their name
// (docs/definitions/idle.md, "idle"): copies of pageable memory, first launches that load device code, calls whose
// thread was not running.
//
// O(n) in the calls and device ops; what only few calls need is looked for only where there are such.
#pragma once

#include <map>
#include <vector>

#include "analysis/idle/idle_causes.h"
#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

/// Those among `calls`, which are the calls of plausible duration that name no cause, in file order. `overhead`: when
/// the profiler was at work.
std::map<SliceIndex, IdleCause> unusual_calls(const Timeline& timeline, const std::vector<SliceIndex>& calls,
                                              const IntervalSet& overhead);

}  // namespace cgpu
