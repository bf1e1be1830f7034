// The tables of all runs, one below the other: schema `runs`. Each has a column `run` in front, the name of the run;
// table `runs` has a row a run with what the runs say of themselves (table `info`) as columns, to filter and group by.
// Of more than two profiles also compare_runs and compare_statistics (gate/runs/many_runs.h), with all runs as one
// group.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gate/runs/many_runs.h"
#include "sql/table_set.h"

namespace cgpu {

/// Also the name of the table of one row a run.
inline constexpr const char* kRunsSchema = "runs";

struct NamedRun {
  std::string name;
  TableSet* tables = nullptr;
};

class StackedTables final : public TableSet {
 public:
  /// In the order in which they are stacked. The tables must outlive this.
  explicit StackedTables(std::vector<NamedRun> runs);

  bool is_of_run() const override { return false; }

 private:
  std::unique_ptr<RowSource> make(const SqlTable& table) override;

  const std::vector<NamedRun> runs_;
  std::unique_ptr<const ManyRuns> compared_;  // once a table of it is asked for
};

}  // namespace cgpu
