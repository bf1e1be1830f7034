// Ranks that wait for another one of them each time, since their work is unequal from collective to collective.
#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/findings/rule_context.h"

namespace cgpu {

/// Adds a finding where the ranks wait for each other in collectives of the devices. O(ops log ops + parts log ops).
void find_load_imbalance(RuleContext& context, std::vector<Finding>& findings);

}  // namespace cgpu
