// Tables `metrics` and `hot_path`. O(nodes) a metric that is shown.
#include <cmath>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/call_tree/call_trees.h"
#include "analysis/common/columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

const TableOption kThresholdOption{"threshold", TableOption::Kind::number, "50",
                                   "Follow a child that has this percentage of its parent"};

void append_metrics(Table& table, const std::vector<TreeOfRun>& runs, const TableOptions&) {
  for (const auto& [rank, tree] : runs) {
    for (MetricIndex i = 0; i < tree->metrics.size(); ++i) {
      const Metric& metric = tree->metrics[i];
      if (!metric.visible) continue;
      table.append({rank, metric.name, metric.unit.empty() ? Cell() : Cell(metric.unit), inclusive_value(*tree, i, 0),
                    metric.about.empty() ? Cell() : Cell(metric.about)});
    }
  }
}

void append_hot_path(Table& table, const std::vector<TreeOfRun>& runs, const TableOptions& options) {
  const auto metric = one_metric(trees_in(runs), options);
  const double least_pct = options.number(kThresholdOption);
  if (metric) {
    table.about += " (" + metric->name + ")";
    table.columns[table.column("value")].unit = metric->unit;
  }
  for (const TreeOfRun& run : runs) {
    const CallTree& tree = *run.tree;
    const auto index = metric ? metric->in(tree) : std::nullopt;
    if (!index || !tree.has_values(*index)) continue;
    const std::vector<double> values = inclusive_values(tree, *index);
    // The most expensive child of every node, the first of equal ones.
    std::vector<NodeIndex> hottest(tree.nodes.size(), kNoNode);
    for (NodeIndex node = 1; node < tree.nodes.size(); ++node) {
      NodeIndex& best = hottest[tree.nodes.parent[node]];
      if (std::isfinite(values[node]) && (best == kNoNode || values[node] > values[best])) best = node;
    }
    int64_t depth = 0;
    for (NodeIndex node = 0; node != kNoNode; ++depth) {
      table.append(
          {run.rank, depth, tree.name_of(node), values[node], share_of(values[node], values[0]), int64_t{node}});
      const NodeIndex child = hottest[node];
      node = child != kNoNode && values[child] >= least_pct / 100 * values[node] ? child : kNoNode;
    }
  }
}

}  // namespace

Analysis metrics_analysis() {
  return {.name = "metrics",
          .about = "what was measured over the call tree, for the whole program",
          .subject = Subject::call_tree,
          .columns = {rank_column(), key_column("name", "what --metric takes"), text_column("unit", "of the value"),
                      real_column("value", "", "of the whole program; absent where the profile has none"),
                      text_column("about", "what it is")},
          .options = {kApartOption},
          .applies = has_call_trees,
          .needs = "call tree, and no slices on threads of the host or on devices",
          .fold = fold_of<CallTreeRows<append_metrics>>};
}

Analysis hot_path_analysis() {
  return {.name = "hot_path",
          .about =
              "where the cost goes: from the root, down to the most expensive child as long as it has --threshold "
              "percent of its parent",
          .subject = Subject::call_tree,
          .columns = {rank_column(), depth_column("depth", "steps from the root"),
                      key_column("name", "function, or place in the source"),
                      real_column("value", "", "cost here and below"),
                      real_column("pct", "%", "share of the cost of the whole program"),
                      number_column("id", "number of the node in call_tree")},
          .options = {kMetricOption, kThresholdOption, kApartOption},
          .applies =
              [](const ProfileCounts& counts) {
                return counts.main_metrics > 0 || (counts.call_trees == 0 && has_call_trees(counts));
              },
          .needs = "call tree, and no slices on threads of the host or on devices",
          .fold = fold_of<CallTreeRows<append_hot_path>>};
}

}  // namespace cgpu
