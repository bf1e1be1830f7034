// `cgpu scale`: how runs of several sizes (ranks, batches, ...) grow, by a law for each of their figures
// (growth_model.h); runs of one size are repetitions.
//
// What Extra-P does with call trees, for the figures that the gate keeps of a run (gate/figures/figures.h). O(runs x
// names).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/runs/many_runs.h"
#include "table/table.h"

namespace cgpu {

struct SizedRuns {
  std::vector<GivenRun> runs;
  std::vector<double> sizes;  // of each
};

struct ScalingOptions {
  std::string parameter = "ranks";  // what the sizes are of
  std::string by = {};              // one of kScaledKinds; "" for the first of op, kernel and function that there are
  std::optional<double> at = {};    // the size to predict; twice the largest without it
  std::optional<double> leave_out = {};  // the size that each law is held against; the largest without it
  bool by_call_trees = false;            // by a metric of call trees, which all runs must have
  bool per_rank = false;  // divide what call trees sum over ranks by their number, which the sizes must be
};

inline constexpr const char* kRanks = "ranks";  // what sizes are of where nothing else is said
inline constexpr double kLargestSize = 1e12;
inline constexpr const char* kScaledKinds[] = {"function", "op", "kernel", "class", "layer", "module"};
/// Of the largest size: what lies beyond is said to be extrapolated.
inline constexpr double kFarExtrapolation = 4;

struct Scaling {
  std::vector<std::string> words;  // lines; the first is the result
  Table laws;                      // scale: a figure
  Table sizes;                     // scale_sizes: a figure at a size
  Table runs;                      // scale_runs: a run
};

/// Throws Error where there are fewer than three sizes, for a size that is not from 1 to kLargestSize, for a size to
/// leave out that no run has or that leaves fewer than three, where no run has figures of the kind, and for runs
/// without the metric.
Scaling scaling_of(SizedRuns sized, const ScalingOptions& options);

/// Without rows: all of them, in the order in which they are listed.
std::vector<Table> scale_tables();
Table scale_table();
Table scale_sizes_table();
Table scale_runs_table();

}  // namespace cgpu
