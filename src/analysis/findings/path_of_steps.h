// What the critical path of each step is made of.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/critical_path/edge_parts.h"
#include "analysis/critical_path/periods.h"
#include "analysis/session_facts.h"

namespace cgpu {

/// ns on the critical path of a step, by BoundBy::number.
using PathKinds = std::array<int64_t, BoundBy::kCount>;

/// Of these steps, in their order. O(moments).
std::vector<PathKinds> path_of_steps(const SessionFacts& facts, const std::vector<Period>& steps);

}  // namespace cgpu
