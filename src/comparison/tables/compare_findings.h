// Compares the findings of two runs without the runs, since a summary has only its findings. O(findings).
#pragma once

#include "table/table.h"

namespace cgpu {

/// The table `compare_findings` of two tables `findings`. Throws Error where only one of them is of ranks alone
/// (analysis/findings/rank_findings.h).
Table compare_findings(const Table& a, const Table& b);

}  // namespace cgpu
