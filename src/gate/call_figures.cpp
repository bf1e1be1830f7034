#include "gate/call_figures.h"

#include <algorithm>
#include <cmath>
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

}  // namespace

CallFigures call_figures(const CallTree& tree, size_t most) {
  CallFigures figures;
  if (!tree.main_metric || !tree.has_values(*tree.main_metric)) return figures;
  figures.metric = tree.metrics[*tree.main_metric].name;
  figures.unit = tree.metrics[*tree.main_metric].unit;
  const std::vector<double> values = inclusive_values(tree, *tree.main_metric);
  std::vector<std::pair<double, NodeIndex>> largest;
  for (NodeIndex node = 1; node < tree.nodes.size(); ++node) {
    if (is_inside_function(tree.nodes.kind[node]) || !std::isfinite(values[node]) || values[node] <= 0) continue;
    largest.emplace_back(-values[node], node);
  }
  const size_t kept = std::min(most, largest.size());
  std::partial_sort(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(kept), largest.end());
  for (size_t i = 0; i < kept; ++i) figures.inclusive[path_of(tree, largest[i].second)] -= largest[i].first;
  return figures;
}

}  // namespace cgpu
