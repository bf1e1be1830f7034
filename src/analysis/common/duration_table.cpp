#include "analysis/common/duration_table.h"

#include "analysis/common/columns.h"

namespace cgpu {

void append_duration_columns(std::vector<Column>& columns, const std::string& things) {
  columns.insert(columns.end(),
                 {count_column("count", "number of " + things), time_column("total_ns", "sum of the durations"),
                  real_column("mean_ns", "ns", "mean duration"),
                  real_column("median_ns", "ns", "median duration; the mean of the middle two of an even count"),
                  time_column("min_ns", "shortest duration"), time_column("max_ns", "longest duration"),
                  real_column("std_ns", "ns", "sample standard deviation (n - 1), 0 for one"),
                  real_column("pct", "%", "share of the total_ns of all rows")});
}

void append_durations(Row& row, const DurationStatistics& durations, int64_t whole) {
  row.insert(row.end(), {durations.count(), durations.total(), durations.mean(), durations.median(), durations.min(),
                         durations.max(), durations.deviation(), percent_of(durations.total(), whole)});
}

}  // namespace cgpu
