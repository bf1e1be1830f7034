// One clock for a session: ranks that were recorded on different machines, or by clocks that start anywhere, are moved
// so that the collectives they take part in end together.
//
// No rank leaves an all-reduce, all-gather, reduce-scatter, all-to-all or barrier before the last one has come, and all
// leave at about the same moment. The median of the differences of the ends is the offset between two clocks, however
// late single ranks come; what is left (the residual) is how well that is known. Clocks are moved a machine at a time
// where machines are known. Drift is not corrected; it shows in the residual. docs/definitions.md, "clocks".
// O(n log n) in the collective ops.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Sets Run::clock of every run of a session of several, and moves Run::clock_base (and sets clock_is_unix) of those
/// whose clock differs. The runs have been completed. Runs whose clocks cannot be compared say so in their notes.
void align_clocks(Session& session);

}  // namespace cgpu
