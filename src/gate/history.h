// `cgpu history`: runs over time, and where they changed their level (statistics/change_points.h).
#pragma once

#include <string>
#include <vector>

#include "gate/check/check.h"
#include "table/table.h"

namespace cgpu {

struct History {
  Table runs;                        // history: a run, in the order in which they were recorded
  Table changes;                     // history_changes: a quantity and a moment at which it changed
  std::vector<std::string> changed;  // the same in sentences
  std::vector<std::string> remarks;
};

/// Runs are put in the order of the time at which they were recorded; those that do not know it stay where they were
/// given, behind the others. A run that did something else than the one before (comparable.h) begins a series of its
/// own: levels are compared only inside of one. O(n permutations) besides sorting.
History history_of(std::vector<CheckedRun> runs);

/// The runs of an input of a history: those of a folder are the summaries in it, by name; else it is one itself.
/// Throws Error for a folder without summaries.
std::vector<std::string> runs_of_history(const std::string& input);

}  // namespace cgpu
