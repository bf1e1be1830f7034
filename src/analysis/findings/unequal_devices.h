// Devices of one process that do not communicate and have unequal work.
#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/findings/rule_context.h"

namespace cgpu {

/// Adds a finding where one device computes far longer than the mean and the run waits for it. Of a run of one rank.
/// O(ops).
void find_unequal_devices(RuleContext& context, std::vector<Finding>& findings);

}  // namespace cgpu
