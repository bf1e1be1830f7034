// The findings of two runs compared, without the runs: of a summary its findings are what is left. O(findings).
#pragma once

#include "table/table.h"

namespace cgpu {

/// The table `compare_findings` of two tables `findings`.
Table compare_findings(const Table& a, const Table& b);

}  // namespace cgpu
