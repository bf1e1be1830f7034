// The rule about kernels that leave most of the device idle: their grids have fewer blocks than half of the
// multiprocessors, and what runs at the same time on other streams does not fill the rest either.
#pragma once

#include <vector>

#include "analysis/findings/rule_context.h"

namespace cgpu {

void find_low_occupancy(RuleContext& context, std::vector<Finding>& findings);

}  // namespace cgpu
