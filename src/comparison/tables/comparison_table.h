// A table of what changed between two runs, declared once: its columns and how its rows are found.
#pragma once

#include <string>
#include <vector>

#include "analysis/table_options.h"
#include "comparison/comparison.h"
#include "table/table.h"

namespace cgpu {

struct ComparisonTable {
  std::string name;
  std::string about;  // one line
  std::vector<Column> columns;
  std::vector<TableOption> options = {};
  void (*append_rows)(const Comparison& comparison, const TableOptions& options, Table& table) = nullptr;
  bool per_iteration = false;  // figures of one iteration on one device, of the whole where there are no iterations
  bool on_request = false;     // of many rows: shown only where it is asked for by its name
};

inline const TableOption kAtOption{"at", TableOption::Kind::names, "",
                                   "Only these moments, from the start of A, wherever they are (several separated by "
                                   "commas)"};

/// All of them in the order in which they are listed.
const std::vector<ComparisonTable>& comparison_tables();
/// The one called `name`. Throws Error with the names there are.
const ComparisonTable& find_comparison_table(const std::string& name);
/// Throws Error for options that it does not have.
Table make_table(const ComparisonTable& declared, const Comparison& comparison, const TableOptions& options = {});

// Each in a file of its own.
ComparisonTable compare_summary_table();
ComparisonTable compare_causes_table();
ComparisonTable compare_ops_table();
ComparisonTable compare_kernels_table();
ComparisonTable compare_idle_table();
ComparisonTable compare_transfers_table();
ComparisonTable compare_collectives_table();
ComparisonTable compare_memory_table();
ComparisonTable compare_findings_table();
ComparisonTable compare_call_tree_table();
ComparisonTable compare_launches_table();
ComparisonTable compare_shapes_table();
ComparisonTable compare_peaks_table();
ComparisonTable compare_times_table();

}  // namespace cgpu
