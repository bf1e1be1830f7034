// Many runs beside each other (`cgpu compare` of more than two): what each takes, and how runs vary, over all of them
// or over groups that share a property. The unit of repetition is a run (estimate.h).
//
// What Thicket does with the call trees of a set of runs (Brink et al., "Thicket: seeing the performance experiment
// forest for the individual run trees", HPDC 2023), for the figures that the gate keeps of a run. A run that does not
// have an op has 0 ns of it, and is counted as one that has not; a quantity that a run does not record is left out.
// O(runs x names).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/check/check.h"
#include "table/table.h"

namespace cgpu {

struct GivenRun : CheckedRun {
  std::string property = {};                          // what it is grouped by; "" without groups
  std::vector<std::optional<std::string>> said = {};  // of the keys that are shown; absent where not recorded
};

struct ManyRuns {
  std::vector<std::string> words;  // sentences about them, a line each
  Table runs;                      // compare_runs: a run
  Table groups;      // compare_groups: runs with the same property; without rows where there are no groups
  Table statistics;  // compare_statistics: a quantity, op, kernel class, kernel, layer, module or call path of a group
};

/// `by`: the name of the property, "" for one group of all. Groups are in the order of their property where it is a
/// number everywhere, else as first met; the first is what the others are compared with. At least one run.
/// `by_call_trees`: not by times of timelines, but by a metric of call trees, which all must have. Throws Error for a
/// run that has not. `shown_keys`: compare_runs has a column info.KEY of each with what the runs say of it
/// (GivenRun::said).
/// Where no run has marks of iterations, and all repeat a sequence of device ops, unequally often or nothing else,
/// their iterations are what they repeat, as where two timelines are compared.
ManyRuns compare_runs(std::vector<GivenRun> runs, const std::string& by, bool by_call_trees = false,
                      const std::vector<std::string>& shown_keys = {});

/// Without rows.
Table compare_runs_table();
Table compare_groups_table();
Table compare_statistics_table();

/// Statistics of some values, one a run, at least one.
struct Statistics {
  size_t n = 0;
  double mean = 0;
  double median = 0;
  std::optional<double> deviation;  // of a sample (n - 1); absent for one value
  double min = 0;
  double p25 = 0;
  double p75 = 0;
  double max = 0;
  std::optional<double> low;  // the interval of the mean at 95 %, by Student's t; absent for one value
  std::optional<double> high;
  double fence_low =
      0;  // 1.5 times the distance of the quartiles below and above them; what lies outside is an outlier
  double fence_high = 0;  // (Tukey, "Exploratory data analysis", 1977)
};
Statistics statistics_of(std::vector<double> values);

}  // namespace cgpu
