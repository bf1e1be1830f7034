// What binds a run once something is gone that bound it.
#pragma once

#include <string>

#include "analysis/findings/rule_context.h"

namespace cgpu {

/// For the evidence of a finding whose remedy saves less than the `on_path` ns that it takes on the critical path:
/// "; 1.49 ms of it can be saved: after that loading data bounds the run". Empty where it saves nearly all. O(edges)
/// for each of seven what-if scenarios.
std::string what_binds_next(RuleContext& context, const EdgeTimes::Scenario& remedy, int64_t on_path);

}  // namespace cgpu
