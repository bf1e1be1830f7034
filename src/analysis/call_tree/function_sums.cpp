#include "analysis/call_tree/function_sums.h"

#include <map>

namespace cgpu {

namespace {

void add_to(double& sum, double value) {
  if (value == value) sum = sum == sum ? sum + value : value;
}

FunctionSums measured_sums(const CallTree& tree, const CallFunctions& functions, const FunctionGroups& grouping,
                           MetricIndex metric) {
  const std::vector<double> inclusive = inclusive_values(tree, metric);
  const std::vector<double> exclusive = exclusive_values(tree, metric);
  FunctionSums sums{std::vector<double>(grouping.groups, kNoValue), std::vector<double>(grouping.groups, kNoValue)};
  for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
    add_to(sums.exclusive[grouping.of[node]], exclusive[node]);
    if (functions.outermost[node]) add_to(sums.inclusive[grouping.of[node]], inclusive[node]);
  }
  return sums;
}

}  // namespace

FunctionGroups one_group_each(const CallFunctions& functions) {
  return {functions.example.size(), {functions.function.begin(), functions.function.end()}};
}

FunctionSums sums_of(const CallTree& tree, const CallFunctions& functions, const FunctionGroups& grouping,
                     MetricIndex index) {
  const Metric& metric = tree.metrics[index];
  if (metric.measured()) return measured_sums(tree, functions, grouping, index);
  std::map<MetricIndex, FunctionSums> parts;
  for (const MetricIndex part : metric.parts) {
    parts.try_emplace(part, measured_sums(tree, functions, grouping, part));
  }
  FunctionSums sums{std::vector<double>(grouping.groups), std::vector<double>(grouping.groups)};
  for (size_t group = 0; group < grouping.groups; ++group) {
    sums.inclusive[group] = combined(metric, [&](MetricIndex part) { return parts.at(part).inclusive[group]; });
    sums.exclusive[group] = combined(metric, [&](MetricIndex part) { return parts.at(part).exclusive[group]; });
  }
  return sums;
}

}  // namespace cgpu
