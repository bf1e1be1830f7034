// Table `launch_values`: every metric that was collected of every launch. O(1) a metric.
#include "analysis/common/columns.h"
#include "analysis/measured_launches/launch_columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

Table launch_values_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  for (const Run& run : facts.session().runs) {
    if (!run.launch_metrics) continue;
    const StringPool& names = run.launch_metrics->names;
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
      for (const MetricValue& metric : launch.metrics) {
        table.append({run.rank, launch.id, text_cell(names, metric.section), cell(names[metric.name]),
                      cell(metric.number), text_cell(names, metric.unit), text_cell(names, metric.text)});
      }
    }
  }
  return table;
}

}  // namespace

Analysis launch_values_analysis() {
  return {.name = "launch_values",
          .about = "every metric that a kernel profiler collected, under the profiler's names",
          .subject = Subject::launches,
          .columns = {rank_column(), launch_column(),
                      text_column("section", "where the profiler shows it; absent where it does not"),
                      key_column("metric", "name of the metric"),
                      real_column("value", "", "in `unit`; absent where the value is a text"),
                      text_column("unit", "absent where there is none, or none that is known"),
                      text_column("text", "value that is no number")},
          .applies = [](const ProfileCounts& counts) { return counts.measured_launches > 0; },
          .whole = launch_values_table};
}

}  // namespace cgpu
