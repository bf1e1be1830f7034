#include "sql/compared_tables.h"

#include "comparison/tables/comparison_table.h"

namespace cgpu {

namespace {

std::vector<SqlTable> tables_of_two_runs() {
  std::vector<SqlTable> tables;
  for (const ComparisonTable& table : comparison_tables()) {
    tables.push_back({.name = table.name, .about = table.about, .columns = table.columns});
  }
  return tables;
}

}  // namespace

ComparedTables::ComparedTables(const SessionFacts& a, const SessionFacts& b)
    : TableSet(tables_of_two_runs()), a_(a), b_(b) {}

std::unique_ptr<RowSource> ComparedTables::make(const SqlTable& table) {
  if (!comparison_) comparison_ = std::make_unique<const Comparison>(a_, b_);
  return rows_of_table(make_table(find_comparison_table(table.name), *comparison_));
}

}  // namespace cgpu
