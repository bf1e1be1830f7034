#include "comparison/tables/comparison_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace cgpu {

const std::vector<ComparisonTable>& comparison_tables() {
  static const std::vector<ComparisonTable> tables = {
      compare_summary_table(),  compare_causes_table(),    compare_ops_table(),         compare_kernels_table(),
      compare_idle_table(),     compare_transfers_table(), compare_collectives_table(), compare_memory_table(),
      compare_findings_table(), compare_call_tree_table(), compare_launches_table(),    compare_shapes_table(),
      compare_peaks_table(),    compare_times_table()};
  return tables;
}

const ComparisonTable& find_comparison_table(const std::string& name) {
  std::vector<std::string> names;
  for (const ComparisonTable& table : comparison_tables()) {
    if (table.name == name || table.name == "compare_" + name) return table;
    names.push_back(table.name);
  }
  throw Error(fmt::format("no table of two runs is called '{}'; there are {}", name, fmt::join(names, ", ")));
}

Table make_table(const ComparisonTable& declared, const Comparison& comparison, const TableOptions& options) {
  check_options(declared.name, declared.options, options);
  Table table(declared.name, declared.about, declared.columns);
  if (declared.per_iteration) table.per = comparison.per_iteration() ? "iteration" : "whole";
  declared.append_rows(comparison, options, table);
  return table;
}

}  // namespace cgpu
