// What `kernels` and `api` share: one row a name with the statistics of its durations.
#pragma once

#include <vector>

#include "analysis/common/statistics.h"
#include "table/table.h"

namespace cgpu {

/// count, total_ns, mean_ns, median_ns, min_ns, max_ns, std_ns, pct. `things` says what is counted ("kernels").
void append_duration_columns(std::vector<Column>& columns, const std::string& things);
/// The cells of these columns; `whole` is the total of all rows.
void append_durations(Row& row, const DurationStatistics& durations, int64_t whole);

}  // namespace cgpu
