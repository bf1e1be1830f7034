// Aligns the clocks of the ranks of a session: ranks recorded on different machines, or by clocks with different
// origins, are shifted so that the collectives they take part in end together.
//
// No rank leaves an all-reduce, all-gather, reduce-scatter, all-to-all or barrier before the last rank has entered it,
// and all leave at about the same moment. The median difference between the ends is the offset of two clocks, even if
// single ranks enter late; the median of what remains (the residual) shows how precise that is. All ranks of one
// machine are shifted together where machines are known. Times of a rank stay as they were recorded but for that shift;
// where the ends show that its clock runs faster or slower besides (clock_drift.h), comparisons of its times with those
// of other ranks take it out (common_time.h). docs/definitions/collectives.md, "clocks". O(n log n) in the collective
// ops.
#pragma once

#include <vector>

#include "links/collective_series.h"
#include "model/run.h"

namespace cgpu {

/// Sets Run::clock of every run of a session of several completed runs, and adjusts Run::clock_base (and clock_is_unix)
/// of those whose clock differs. A run whose clock cannot be compared gets a note.
void align_clocks(Session& session);
/// The same where its collectives are known, on devices and in calls of the host.
void align_clocks(Session& session, const std::vector<CollectiveSeries>& device,
                  const std::vector<CollectiveSeries>& host);

/// The clock of a run as it was recorded, and its notes without what align_clocks said.
void undo_alignment(Run& run);

}  // namespace cgpu
