// The arithmetic with which hpcprof says how a statistic follows from what it accumulated over the threads:
// "$3 / $4" is the value of metric 3 divided by that of metric 4, "sqrt(($6 / $7) - pow($5 / $7, 2))" a deviation.
// O(length).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/formula.h"

namespace cgpu::hpctoolkit_xml {

struct FinalizeFormula {
  Formula formula;                   // one operand where the accumulated value is the statistic
  std::vector<std::string> metrics;  // ids of its operands
};

/// None where the text is no such formula.
std::optional<FinalizeFormula> parse_finalize_formula(std::string_view text);

}  // namespace cgpu::hpctoolkit_xml
