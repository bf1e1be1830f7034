#include "serve/line_costs.h"

#include <cmath>
#include <map>

namespace cgpu {

namespace {

/// For every node the line of the file at which it is; 0 where that is elsewhere.
std::vector<uint32_t> lines_in(const CallNodes& nodes, StringId file) {
  std::vector<uint32_t> lines(nodes.size(), 0);
  for (NodeIndex node = 1; node < nodes.size(); ++node) {
    if (nodes.kind[node] == NodeKind::loop || nodes.kind[node] == NodeKind::line ||
        nodes.kind[node] == NodeKind::instruction) {
      if (nodes.file[node] == file) lines[node] = nodes.line[node];
    } else if (node < nodes.call_line.size() && nodes.file[nodes.parent[node]] == file) {
      lines[node] = nodes.call_line[node];
    }
  }
  return lines;
}

bool is_within_its_line(const CallNodes& nodes, const std::vector<uint32_t>& lines, NodeIndex node) {
  for (NodeIndex above = nodes.parent[node]; above != kNoNode; above = nodes.parent[above]) {
    if (lines[above] == lines[node]) return true;
  }
  return false;
}

}  // namespace

std::vector<LineCost> line_costs(const CallTree& tree, MetricIndex metric, StringId file) {
  const std::vector<uint32_t> lines = lines_in(tree.nodes, file);
  const std::vector<double> inclusive = inclusive_values(tree, metric);
  const std::vector<double> exclusive = exclusive_values(tree, metric);
  std::map<uint32_t, LineCost> costs;
  for (NodeIndex node = 0; node < lines.size(); ++node) {
    if (lines[node] == 0) continue;
    LineCost& cost = costs.try_emplace(lines[node], LineCost{lines[node]}).first->second;
    if (std::isfinite(inclusive[node]) && !is_within_its_line(tree.nodes, lines, node)) {
      cost.inclusive += inclusive[node];
    }
    if (std::isfinite(exclusive[node]) && tree.nodes.kind[node] != NodeKind::function) {
      cost.exclusive += exclusive[node];
    }
  }
  std::vector<LineCost> found;
  for (const auto& [line, cost] : costs) {
    if (cost.inclusive != 0 || cost.exclusive != 0) found.push_back(cost);
  }
  return found;
}

}  // namespace cgpu
