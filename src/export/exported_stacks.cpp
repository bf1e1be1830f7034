#include "export/exported_stacks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/call_tree/folded_timeline.h"
#include "base/error.h"

namespace cgpu {

namespace {

ExportedMetric exported(ShownMetric metric) {
  const std::string unit = metric.unit;
  if (unit == "sec") return {std::move(metric), "nanoseconds", 1e9};
  if (unit == "ns") return {std::move(metric), "nanoseconds"};
  if (unit == "B") return {std::move(metric), "bytes"};
  return {std::move(metric), unit.empty() ? "count" : unit};
}

}  // namespace

int64_t ExportedMetric::value_of(double value) const {
  constexpr double kLargest = 9.2e18;
  return std::llround(std::clamp(value * factor, -kLargest, kLargest));
}

ExportedStacks::ExportedStacks(const Session& session, const std::string& metric) {
  const bool several = session.runs.size() > 1;
  for (size_t number = 0; number < session.runs.size(); ++number) {
    const Run& run = session.runs[number];
    const auto rank = several ? std::optional(run.rank) : std::nullopt;
    if (run.call_tree) {
      trees_.push_back({rank, &*run.call_tree});
      continue;
    }
    const FoldedTimeline folded = fold_timeline(session, number, ThreadFrames::merged);
    if (folded.parent.empty()) continue;
    folded_.push_back(call_tree_of(folded));
    trees_.push_back({rank, &folded_.back()});
  }
  std::vector<const CallTree*> trees;
  for (const ExportedTree& one : trees_) trees.push_back(one.tree);
  TableOptions options;
  if (!metric.empty()) options.set(kMetricOption.name, {metric});
  const std::optional<ShownMetric> shown = one_metric(trees, options);
  if (!shown) {
    throw Error(session.inputs.empty() ? "export" : session.inputs.front(),
                "has no call stacks, neither sampled ones nor events that lie in each other");
  }
  metric_ = exported(*shown);
  metrics_.push_back(metric_);
  for (ShownMetric& one : shown_metrics(trees, {})) {
    if (one.name != metric_.metric.name) metrics_.push_back(exported(std::move(one)));
  }
}

}  // namespace cgpu
