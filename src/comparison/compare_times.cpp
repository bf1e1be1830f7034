// Table `compare_times`: which time of B is which of A, by the work that both have.
#include "comparison/compared_columns.h"
#include "comparison/comparison_table.h"
#include "comparison/time_map.h"

namespace cgpu {

namespace {

void append_times(const Comparison& comparison, const TableOptions&, Table& table) {
  const TimeMap map(comparison);
  for (const TimePoint& point : map.points()) table.append({point.a, point.b, point.residual});
}

}  // namespace

ComparisonTable compare_times_table() {
  return {.name = "compare_times",
          .about = "which time of B is which of A: where work that both have begins; between these times linearly",
          .columns = {moment_column("a_ns", "from the start of A"), moment_column("b_ns", "from the start of B"),
                      time_column("residual_ns", "by which work around here misses the map at most")},
          .append_rows = append_times,
          .only_named = true};
}

}  // namespace cgpu
