// What the formats of stacks (folded.cpp, pprof.cpp) hold of a session: the call trees of its profiles, and of the
// other runs their timelines, folded by nesting, with the threads of a rank together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/call_tree/call_trees.h"
#include "analysis/session_facts.h"
#include "model/run.h"

namespace cgpu {

/// A metric in whole numbers, as these formats have it: times in ns.
struct ExportedMetric {
  ShownMetric metric;
  std::string unit;   // "nanoseconds", "bytes", "count", or the metric's own
  double factor = 1;  // from the metric's unit

  /// To the nearest.
  int64_t value_of(double value) const;
};

class ExportedStacks {
 public:
  /// Of a session that outlives it. `metric`: as people type it; "" for the main one. Throws Error where there is no
  /// call tree, or none with it.
  ExportedStacks(const Session& session, const std::string& metric);

  /// Of a single run without its rank.
  const std::vector<TreeOfRun>& trees() const { return trees_; }
  const ExportedMetric& metric() const { return metrics_.front(); }
  /// All that can be added up, the one that was asked for first.
  const std::vector<ExportedMetric>& metrics() const { return metrics_; }

 private:
  const SessionFacts facts_;
  FoldedRuns folded_;
  std::vector<TreeOfRun> trees_;
  std::vector<ExportedMetric> metrics_;
};

}  // namespace cgpu
