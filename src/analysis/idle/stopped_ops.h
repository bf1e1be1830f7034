// Framework ops whose thread stood still for a while (docs/definitions/idle.md, "idle"): nothing that lies in the op is
// recorded for a hundred times as long as ops of its name take, and few ops of that name are as long.
//
// Only of ops that launch device work: how long others take depends on what they compute on. O(n) in the host slices,
// where there are such ops.
#pragma once

#include <vector>

#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

struct StoppedOp {
  SliceIndex op = kNone;
  Interval time;  // when it stood still, on the run's clock
};

/// `ops`: the framework ops of plausible duration, in file order.
std::vector<StoppedOp> stopped_ops(const Timeline& timeline, const std::vector<SliceIndex>& ops);

}  // namespace cgpu
