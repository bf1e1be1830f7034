// The figures that are compared over many runs (many_runs.h): quantities, ops, kernels and call paths, each with its
// value in every run. O(runs x names).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/runs/many_runs.h"

namespace cgpu {

struct ManyFigure {
  std::string kind;
  std::string name;
  std::string unit;
  std::vector<std::optional<double>> values;  // by run; absent where it does not record this
  std::vector<bool> missing;                  // by run: it does not have this, and has 0 of it
};

/// Of timelines. The first is what counts: the time of an iteration, or that of the whole where a run has no
/// iterations.
std::vector<ManyFigure> figures_of_timelines(const std::vector<GivenRun>& runs);

/// Of call trees alone, all of which have the same metric. The first is what counts: the metric of the whole program,
/// or, of times that are no sums (averages over ranks have no value at the root), on the call path where the first run
/// spends most. Throws Error for a run without the metric.
std::vector<ManyFigure> figures_of_call_trees(const std::vector<GivenRun>& runs);

}  // namespace cgpu
