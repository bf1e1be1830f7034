// Ranks that wait for another one of them each time, since their work is unequal from collective to collective.
#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/findings/rule_context.h"

namespace cgpu {

/// Adds a finding where the ranks wait for each other in collectives of the devices. O(ops log ops + parts log ops).
void find_load_imbalance(RuleContext& context, std::vector<Finding>& findings);

/// No rank waits for another, since each computes in all what the ranks compute on average.
EdgeTimes::Scenario equal_work_of_ranks(RuleContext& context);

}  // namespace cgpu
