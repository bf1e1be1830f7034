// The time that a first picture of a timeline shows where the whole would be empty: one event with a wrong time can
// stretch a profile of a minute over weeks, and events without a duration a short one (PyTorch's "Record Window End"
// comes when the profiler is done, half a profile after its last slice).
//
// Of the starts of the slices (of a sample of 65,536 where there are more), one in a thousand, and at least one, may be
// strays. The shortest time that has all others, and what follows closely, is shown if it is less than a thousandth of
// the whole. Else what slices and counters take is shown if it is less than 95 % of the whole. O(n log n) in the
// sample, and O(slices) where there are events without a duration.
#pragma once

#include <optional>
#include <vector>

#include "base/interval_set.h"
#include "model/run.h"

namespace cgpu {

/// `zeros`: for each run the time on its clock that is 0 in the answer; `span`: the length of the whole, ns. Empty
/// where the whole is to be shown.
std::optional<Interval> first_window(const Session& session, const std::vector<int64_t>& zeros, int64_t span);

}  // namespace cgpu
