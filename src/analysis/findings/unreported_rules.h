// Why a rule reported nothing: what the profile lacks for it, or how far what it looks at is from being worth a
// finding.
#pragma once

#include <vector>

#include "analysis/findings/rule_context.h"

namespace cgpu {

/// The rules without a finding among the `reported`, in the order of docs/diagnosis.md. `dropped`: what rules found
/// that saves too little. O(slices) for what the profile holds.
std::vector<UnreportedRule> reasons_of_rules(RuleContext& context, const std::vector<Finding>& reported,
                                             const std::vector<Finding>& dropped);

}  // namespace cgpu
