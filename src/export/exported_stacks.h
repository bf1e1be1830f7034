// What the formats of stacks (folded.cpp, pprof.cpp) hold of a session: the call trees of its profiles, and of the
// other runs their timelines, folded by nesting, with the threads of a rank together.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "model/call_tree.h"
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

struct ExportedTree {
  std::optional<int64_t> rank;  // where there are several
  const CallTree* tree = nullptr;
};

class ExportedStacks {
 public:
  /// `metric`: as people type it; "" for the main one. Throws Error where there is no call tree, or none with it.
  ExportedStacks(const Session& session, const std::string& metric);

  const std::vector<ExportedTree>& trees() const { return trees_; }
  const ExportedMetric& metric() const { return metric_; }
  /// All that can be added up, the one that was asked for first.
  const std::vector<ExportedMetric>& metrics() const { return metrics_; }

 private:
  std::deque<CallTree> folded_;
  std::vector<ExportedTree> trees_;
  ExportedMetric metric_;
  std::vector<ExportedMetric> metrics_;
};

}  // namespace cgpu
