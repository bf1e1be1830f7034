#include "gate/figures/call_figures.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace cgpu {

namespace {

std::string path_of(const CallTree& tree, NodeIndex node) {
  std::vector<NodeIndex> around;
  for (; node != 0; node = tree.nodes.parent[node]) {
    if (!is_inside_function(tree.nodes.kind[node])) around.push_back(node);
  }
  std::string path;
  for (size_t i = around.size(); i-- > 0;) {
    if (!path.empty()) path += CallFigures::kBelow;
    path += tree.name_of(around[i]);
  }
  return path;
}

/// Exclusive values, those of lines, loops and instructions with the function that they are in.
std::vector<double> values_of_functions(const CallTree& tree, MetricIndex metric) {
  std::vector<double> values = exclusive_values(tree, metric);
  for (double& value : values) value = std::isfinite(value) ? value : 0;
  for (NodeIndex node = tree.nodes.size(); node-- > 1;) {  // children come before their parents
    if (is_inside_function(tree.nodes.kind[node])) values[tree.nodes.parent[node]] += values[node];
  }
  return values;
}

}  // namespace

CallFigures call_figures(const CallTree& tree, const std::string& metric, size_t most) {
  CallFigures figures;
  const std::optional<MetricIndex> found = metric.empty() ? tree.main_metric : tree.find_metric(metric);
  if (!found) return figures;
  const std::vector<double> values = inclusive_values(tree, *found);
  if (std::none_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) return figures;
  figures.metric = tree.metrics[*found].name;
  figures.unit = tree.metrics[*found].unit;
  figures.is_sum = tree.metrics[*found].additive;
  if (std::isfinite(values[0])) figures.whole = values[0];
  std::vector<std::pair<double, NodeIndex>> largest;
  for (NodeIndex node = 1; node < tree.nodes.size(); ++node) {
    if (is_inside_function(tree.nodes.kind[node]) || !std::isfinite(values[node]) || values[node] <= 0) continue;
    largest.emplace_back(-values[node], node);
  }
  const size_t kept = std::min(most, largest.size());
  std::partial_sort(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(kept), largest.end());
  const std::vector<double> exclusive = figures.is_sum ? values_of_functions(tree, *found) : values;
  for (size_t i = 0; i < kept; ++i) {
    const NodeIndex node = largest[i].second;
    CallFigure& figure = figures.paths[path_of(tree, node)];
    if (figures.is_sum) {
      figure.inclusive += values[node];
      figure.exclusive += exclusive[node];
    } else {
      figure.inclusive = std::max(figure.inclusive, values[node]);
      figure.exclusive = figure.inclusive;
    }
  }
  return figures;
}

}  // namespace cgpu
