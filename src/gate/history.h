// `cgpu history`: runs over time, where they changed their level (statistics/change_points.h), and what moved there
// (level_changes.h).
#pragma once

#include <string>
#include <vector>

#include "gate/check/check.h"
#include "table/table.h"

namespace cgpu {

struct History {
  Table runs;           // history: a run, in the order in which they were recorded
  Table changes;        // history_changes: a quantity and a moment at which it changed
  Table change_points;  // history_change_points: a moment at which quantities changed, and the verdict on it
  Table parts;          // history_parts: a part of the runs that moved at a change point
  Table latest;         // history_latest: the last run, compared with its level; without rows where it is alone
  std::vector<std::string> changed;  // the changes and what moved, in sentences
  std::string judged;                // the last run, in a sentence; "" where it is alone
  std::vector<std::string> remarks;
};

/// Runs are put in the order of the time at which they were recorded; those that do not know it stay where they were
/// given, behind the others. A run that did something else than the one before (comparable.h) begins a series of its
/// own: levels are compared only inside of one. Changes of two quantities at most two runs apart are one change point.
/// O(n permutations) besides sorting and the comparisons.
History history_of(std::vector<CheckedRun> runs);

/// The runs of an input of a history: those of a folder are the summaries in it, by name; else it is one itself.
/// Throws Error for a folder without summaries.
std::vector<std::string> runs_of_history(const std::string& input);

}  // namespace cgpu
