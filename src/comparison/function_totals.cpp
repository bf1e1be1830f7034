#include "comparison/function_totals.h"

#include <cmath>

namespace cgpu {

FunctionTotals::FunctionTotals(const CallTree& tree) : of_tree_(functions_of(tree)) {
  CallNodes& nodes = functions_.nodes;
  const auto name = [&](StringId id) { return functions_.names.intern(tree.names[id]); };
  for (const NodeIndex example : of_tree_.example) {  // the root is the first
    nodes.parent.push_back(nodes.size() == 0 ? kNoNode : 0);
    nodes.kind.push_back(tree.nodes.kind[example]);
    nodes.relation.push_back(NodeRelation::call);
    nodes.name.push_back(name(tree.nodes.name[example]));
    nodes.file.push_back(name(tree.nodes.file[example]));
    nodes.module.push_back(name(tree.nodes.module[example]));
    nodes.line.push_back(tree.nodes.line[example]);
  }
}

template <typename IsCounted>
std::vector<double> FunctionTotals::sums(const std::vector<double>& of_nodes, IsCounted is_counted) const {
  std::vector<double> sums(of_tree_.example.size(), kNoValue);
  for (NodeIndex node = 0; node < of_nodes.size(); ++node) {
    if (!std::isfinite(of_nodes[node]) || !is_counted(node)) continue;
    double& sum = sums[of_tree_.function[node]];
    sum = std::isfinite(sum) ? sum + of_nodes[node] : of_nodes[node];
  }
  return sums;
}

std::vector<double> FunctionTotals::inclusive(const std::vector<double>& of_nodes) const {
  return sums(of_nodes, [&](NodeIndex node) { return of_tree_.outermost[node]; });
}

std::vector<double> FunctionTotals::exclusive(const std::vector<double>& of_nodes) const {
  return sums(of_nodes, [](NodeIndex) { return true; });
}

}  // namespace cgpu
