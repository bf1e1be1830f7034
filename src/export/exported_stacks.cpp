#include "export/exported_stacks.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

ExportedStacks::ExportedStacks(const Session& session, const std::string& metric)
    : facts_(session), folded_(TableOptions()) {
  RunIndex index{facts_, {}};
  for (uint32_t run = 0; run < session.runs.size(); ++run) {
    index.numbers.push_back(run);
    FoldedRuns one{TableOptions()};
    one.update({facts_, run, run});
    one.assign_run(index, run);
    folded_.combine(std::move(one));
  }
  trees_ = folded_.trees(index);
  if (session.runs.size() == 1 && !trees_.empty()) trees_.front().rank = Cell();
  const std::vector<const CallTree*> trees = trees_in(trees_);
  TableOptions options;
  if (!metric.empty()) options.set(kMetricOption.name, {metric});
  const std::optional<ShownMetric> shown = one_metric(trees, options);
  if (!shown) {
    throw Error(session.inputs.empty() ? "export" : session.inputs.front(),
                "has no call stacks, neither sampled ones nor events that lie in each other");
  }
  metrics_.push_back(exported(*shown));
  for (ShownMetric& one : shown_metrics(trees, {})) {
    if (one.name != shown->name) metrics_.push_back(exported(std::move(one)));
  }
}

}  // namespace cgpu
