#include "sql/checked_tables.h"

#include <algorithm>

#include "gate/check/check_tables.h"
#include "gate/figures/collect_figures.h"

namespace cgpu {

namespace {

std::vector<Table> empty_tables() {
  return {check_table(),       check_times_table(), check_memory_table(),
          check_parts_table(), check_calls_table(), check_runs_table()};
}

std::vector<SqlTable> tables_of_a_check() {
  std::vector<SqlTable> tables;
  for (const Table& table : empty_tables()) {
    tables.push_back(declared_as(table));
    if (table.name == "check") tables.back().aliases = {"check_rules"};
  }
  return tables;
}

}  // namespace

CheckedTables::CheckedTables(Side baseline, Side candidate)
    : TableSet(tables_of_a_check()), baseline_(std::move(baseline)), candidate_(std::move(candidate)) {}

std::unique_ptr<RowSource> CheckedTables::make(const SqlTable& table) {
  if (!result_) {
    result_ = std::make_unique<const CheckResult>(check_runs({{baseline_.name, figures_of(baseline_.facts)}},
                                                             {{candidate_.name, figures_of(candidate_.facts)}}, {}));
  }
  std::vector<Table> made = result_->tables;
  for (Table& empty : empty_tables()) made.push_back(std::move(empty));  // a check leaves out what it has no rows for
  return rows_of_table(std::move(*std::ranges::find(made, table.name, &Table::name)));
}

}  // namespace cgpu
