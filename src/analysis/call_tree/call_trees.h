// The call trees that tables are made of: those that the profiles have, and of the other runs their timelines, folded
// by nesting (folded_timeline.h).
#pragma once

#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/call_tree/folded_timeline.h"
#include "analysis/values_by_run.h"

namespace cgpu {

inline const TableOption kApartOption{
    "apart",
    TableOption::Kind::choice,
    "ranks",
    "Of timelines: what has a call tree of its own. ranks: each rank, its threads together; threads: each thread; "
    "nothing: all ranks together",
    {"ranks", "threads", "nothing"}};

struct TreeOfRun {
  Cell rank;  // absent where ranks are together
  const CallTree* tree;
};

std::vector<const CallTree*> trees_in(const std::vector<TreeOfRun>& runs);

/// Kept of the runs whose timelines are folded.
class FoldedRuns {
 public:
  explicit FoldedRuns(const TableOptions& options) : apart_(options.text(kApartOption)) {}

  void update(const RunInSession& run);
  void assign_run(const RunIndex&, size_t run) { folded_.assign_run(run); }
  void combine(FoldedRuns&& other) { folded_.combine(std::move(other.folded_)); }
  /// In the order of the ranks. Stands as long as the run index and this object do.
  std::vector<TreeOfRun> trees(const RunIndex& index);
  template <typename Archive>
  void members(Archive& archive) {
    archive(folded_);
  }

 private:
  std::string apart_;
  ValuesByRun<FoldedTimeline> folded_;
  std::vector<CallTree> made_;
};

/// The state of a table (partial.h) whose rows Append makes of the call trees.
template <void (*Append)(Table&, const std::vector<TreeOfRun>&, const TableOptions&)>
class CallTreeRows {
 public:
  CallTreeRows(const Analysis&, const TableOptions& options) : options_(options), folded_(options) {}

  void update(const RunInSession& run) { folded_.update(run); }
  void assign_run(const RunIndex& index, size_t run) { folded_.assign_run(index, run); }
  void combine(CallTreeRows&& other) { folded_.combine(std::move(other.folded_)); }
  void append_rows(Table& table, const RunIndex& index) { Append(table, folded_.trees(index), options_); }
  template <typename Archive>
  void members(Archive& archive) {
    folded_.members(archive);
  }

 private:
  TableOptions options_;
  FoldedRuns folded_;
};

/// Whether a profile has a call tree, or a timeline that can be folded to one.
inline bool has_call_trees(const ProfileCounts& counts) {
  return counts.call_trees > 0 || counts.nested() > 0 || counts.device_ops > 0;
}

}  // namespace cgpu
