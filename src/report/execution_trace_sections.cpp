// The section about an execution trace: ops without times, or with those of a profile of the same run.
#include <fmt/format.h>

#include <algorithm>

#include "report/cells.h"
#include "report/phrases.h"
#include "report/sections.h"
#include "table/filter.h"
#include "table/units.h"

namespace cgpu {

Section describe_et_ops(Table table, const Scope&) {
  const int64_t nodes = sum_of(table, "count");
  std::string summary = fmt::format("The execution trace has {} of {}", counted(nodes, "node"),
                                    counted(static_cast<int64_t>(table.row_count()), "different op"));
  if (const int64_t joined = sum_of(table, "joined"); joined > 0) {
    summary += fmt::format("; {} are in the profile opened with it, which gives their durations", format_count(joined));
  } else if (sum_of(table, "total_ns") == 0) {
    summary += "; it says what was done, not how long it took";
  }
  Table sorted = table;
  if (table.values(table.column("total_ns")).absent_count() < table.row_count()) sort_rows(sorted, "total_ns");
  Section section = section_of("Execution trace", summary + ".", std::move(sorted),
                               {"name", "kind", "collective", "count", "total_ns", "joined", "inputs", "outputs",
                                "input_bytes", "output_bytes", "communicated_bytes"});
  section.table = std::move(table);
  return section;
}

}  // namespace cgpu
