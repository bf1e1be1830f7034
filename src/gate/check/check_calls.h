// The gate over call trees: one metric of programs that were sampled, or counted, without iterations.
//
// The metric of the whole program decides. Functions, by what they spend themselves in all call paths, say where. One
// run a side: numbers of samples are counts, whose relative standard error is 1 / sqrt(samples) (Poisson); a time is
// what really passed between samples, so that of the whole it is known to a sampling period, and of single functions
// without their numbers of samples it is not known. Several runs: their spread, as of every quantity (estimate.h).
// O(runs x call paths).
#pragma once

#include <string>
#include <vector>

#include "gate/check/check.h"
#include "gate/check/estimate.h"
#include "gate/check/verdict.h"
#include "gate/figures/figures.h"
#include "table/table.h"

namespace cgpu {

using FiguresOfRuns = std::vector<const RunFigures*>;

/// Whether these runs are compared by their call trees: all have values of one metric, and none has iterations or work
/// of a device; or a metric was named (CheckOptions::metric).
bool are_compared_by_calls(const FiguresOfRuns& baseline, const FiguresOfRuns& candidate, const CheckOptions& options);

struct CheckedCalls {
  std::string rule;  // the metric
  std::string text;
  Estimate estimate;
  Verdict verdict = Verdict::pass;
  Table table;  // check_calls
};
/// Of runs that are compared by them.
CheckedCalls check_calls(const FiguresOfRuns& baseline, const FiguresOfRuns& candidate, const CheckOptions& options);

}  // namespace cgpu
