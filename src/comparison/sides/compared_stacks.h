// The stacks of a side of a comparison: what its compared time is made of, folded by name (stack_tree.h), an iteration
// and a device, or of host time an iteration and a rank.
//
// Which call of a runtime launches depends on the vendor: device ops are placed below the ops of the host, not below
// such calls. Whole nanoseconds, shared out so that they add up to the rounded whole (apportion.h). Costs what folding
// costs, and of explained time what time_attribution.h says.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/call_tree/stack_tree.h"
#include "comparison/comparison.h"

namespace cgpu {

/// Time of a part, ns from the start of a side's session; absent: the compared iterations. A part counts as one
/// iteration.
using ComparedPart = std::optional<Interval>;

/// Every nanosecond of the devices once, as the causes of a comparison have it: device ops below what launched them,
/// the wait of a collective for other ranks below it; idle time by its cause and its culprit. The trees of the compared
/// iterations add up to the time of an iteration.
StackTree fold_explained_time(const Comparison& comparison, Side side, const ComparedPart& part);
/// The durations of device ops below what launched them: of all that belong to the compared iterations, as in
/// `device_op_time_ns` of table `compare_summary`; of a part, what lies in it.
StackTree fold_compared_device_time(const Comparison& comparison, Side side, const ComparedPart& part);
/// What host threads do by themselves at each moment, while the host is in the compared iterations.
StackTree fold_compared_host_time(const Comparison& comparison, Side side, const ComparedPart& part);

}  // namespace cgpu
