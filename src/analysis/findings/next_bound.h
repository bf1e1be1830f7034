// What binds a run once something is gone that bound it.
#pragma once

#include <string>

#include "analysis/findings/rule_context.h"

namespace cgpu {

/// "After this, loading data bounds the run": of computing, communicating, copying and what a host does the one whose
/// time would then save most besides the remedy, which saves `gain` ns alone. Empty where none of them would save
/// noticeable time. O(edges) for each that the run has time enough of.
std::string what_binds_next(RuleContext& context, const EdgeTimes::Scenario& remedy, int64_t gain);

}  // namespace cgpu
