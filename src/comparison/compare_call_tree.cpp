// Table `compare_call_tree`: the call trees of two profiles, paired by the path of frames, with what a metric says of
// each.
//
// Nodes are paired level by level by their names without numbers and addresses. Lines, loops and instructions that only
// one side has are looked through: what they call stands below their function, and their own values count as its own.
// Exclusive values therefore add up to the root's inclusive value on each side. O(nodes).
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/call_tree/call_tree_metrics.h"
#include "base/error.h"
#include "comparison/compared_columns.h"
#include "comparison/comparison_table.h"
#include "comparison/pairing.h"

namespace cgpu {

namespace {

double or_zero(double value) {
  return std::isfinite(value) ? value : 0;
}

/// One call tree with the values of the metric.
struct TreeSide {
  const CallTree* tree = nullptr;
  std::vector<Label> labels;        // by node
  std::unordered_set<Label> known;  // all of them
  std::vector<std::vector<NodeIndex>> children;
  std::vector<double> inclusive;
  std::vector<double> exclusive;

  TreeSide(const CallTree& call_tree, MetricIndex metric, Labels& all_labels)
      : tree(&call_tree),
        children(call_tree.nodes.size()),
        inclusive(inclusive_values(call_tree, metric)),
        exclusive(exclusive_values(call_tree, metric)) {
    for (NodeIndex node = 0; node < call_tree.nodes.size(); ++node) {
      labels.push_back(all_labels.of_op(call_tree.name_of(node)));
      known.insert(labels.back());
      if (call_tree.nodes.parent[node] != kNoNode) children[call_tree.nodes.parent[node]].push_back(node);
    }
  }
};

struct TreePair {
  std::optional<NodeIndex> a;
  std::optional<NodeIndex> b;
  size_t depth = 0;
};

class TreeComparison {
 public:
  TreeComparison(const TreeSide& a, const TreeSide& b, const Labels& labels) : sides_{&a, &b}, labels_(labels) {}

  /// Calls visit(pair, inclusive, exclusive) for all rows, parents before children, what changed most first.
  template <typename Visit>
  void walk(Visit visit) {
    if (sides_.a->tree->nodes.size() == 0 || sides_.b->tree->nodes.size() == 0) return;
    std::vector<TreePair> open{{NodeIndex{0}, NodeIndex{0}, 0}};
    while (!open.empty()) {
      const TreePair pair = open.back();
      open.pop_back();
      OfSides<std::vector<NodeIndex>> children;
      OfSides<double> inclusive;
      OfSides<double> exclusive;
      for (const Side side : kSides) {
        const std::optional<NodeIndex> node = side == Side::a ? pair.a : pair.b;
        if (!node) continue;
        inclusive[side] = or_zero(sides_[side]->inclusive[*node]);
        exclusive[side] = or_zero(sides_[side]->exclusive[*node]);
        append_children(side, *node, children[side], exclusive[side]);
      }
      visit(pair, inclusive, exclusive);
      std::vector<TreePair> below = paired(children, pair.depth + 1);
      std::stable_sort(below.begin(), below.end(),
                       [&](const TreePair& x, const TreePair& y) { return change_of(x) < change_of(y); });
      open.insert(open.end(), below.begin(), below.end());  // the last one comes first
    }
  }

 private:
  void append_children(Side side, NodeIndex node, std::vector<NodeIndex>& list, double& exclusive) const {
    const TreeSide& tree = *sides_[side];
    for (const NodeIndex child : tree.children[node]) {
      const bool looked_through =
          is_inside_function(tree.tree->nodes.kind[child]) && !sides_[other(side)]->known.contains(tree.labels[child]);
      if (!looked_through) {
        list.push_back(child);
        continue;
      }
      exclusive += or_zero(tree.exclusive[child]);
      append_children(side, child, list, exclusive);
    }
  }

  std::vector<TreePair> paired(const OfSides<std::vector<NodeIndex>>& children, size_t depth) const {
    OfSides<std::vector<Likeness>> likeness;
    for (const Side side : kSides) {
      for (const NodeIndex node : children[side]) {
        likeness[side].push_back({labels_.hash(sides_[side]->labels[node]), 0, 0});
      }
    }
    const Pairing pairing = pair_elements(likeness.a, likeness.b);
    std::vector<TreePair> pairs;
    for (size_t i = 0; i < children.a.size(); ++i) {
      TreePair& pair = pairs.emplace_back(TreePair{children.a[i], std::nullopt, depth});
      if (pairing.of_a[i] != Pairing::kAlone) pair.b = children.b[pairing.of_a[i]];
    }
    for (size_t i = 0; i < children.b.size(); ++i) {
      if (pairing.of_b[i] == Pairing::kAlone) pairs.push_back({std::nullopt, children.b[i], depth});
    }
    return pairs;
  }

  double change_of(const TreePair& pair) const {
    const double a = pair.a ? or_zero(sides_.a->inclusive[*pair.a]) : 0;
    const double b = pair.b ? or_zero(sides_.b->inclusive[*pair.b]) : 0;
    return std::abs(b - a);
  }

  OfSides<const TreeSide*> sides_;
  const Labels& labels_;
};

/// The metric to compare: the one that was asked for, else A's main one if B has it too, else the first of both.
std::optional<std::string> shared_metric(const CallTree& a, const CallTree& b, const TableOptions& options) {
  const std::vector<std::string> wanted = options.names(kMetricOption);
  const auto is_in = [](const CallTree& tree, const std::string& name) {
    const std::optional<MetricIndex> found = tree.find_metric(name);
    return found && tree.has_values(*found);
  };
  if (!wanted.empty()) {
    if (!is_in(a, wanted.front()) || !is_in(b, wanted.front())) {
      throw Error("no metric called '" + wanted.front() + "' has values on both sides; table `metrics` lists them");
    }
    return wanted.front();
  }
  if (a.main_metric && is_in(b, a.metrics[*a.main_metric].name)) return a.metrics[*a.main_metric].name;
  for (const Metric& metric : a.metrics) {
    if (metric.visible && is_in(a, metric.name) && is_in(b, metric.name)) return metric.name;
  }
  return std::nullopt;
}

void append_call_trees(const Comparison& comparison, const TableOptions& options, Table& table) {
  const std::vector<Run>& runs_a = comparison.given(Side::a).session().runs;
  const std::vector<Run>& runs_b = comparison.given(Side::b).session().runs;
  for (size_t run = 0; run < std::min(runs_a.size(), runs_b.size()); ++run) {
    if (!runs_a[run].call_tree || !runs_b[run].call_tree) continue;
    const CallTree& a = *runs_a[run].call_tree;
    const CallTree& b = *runs_b[run].call_tree;
    const std::optional<std::string> metric = shared_metric(a, b, options);
    if (!metric) continue;
    Labels labels;
    const TreeSide side_a(a, *a.find_metric(*metric), labels);
    const TreeSide side_b(b, *b.find_metric(*metric), labels);
    TreeComparison(side_a, side_b, labels)
        .walk([&](const TreePair& pair, const OfSides<double>& inclusive, const OfSides<double>& exclusive) {
          const CallTree& named = pair.a ? a : b;
          const NodeIndex node = pair.a ? *pair.a : *pair.b;
          const Status status = !pair.a ? Status::only_b : !pair.b ? Status::only_a : Status::both;
          std::optional<double> ratio;
          if (inclusive.a != 0) ratio = inclusive.b / inclusive.a;
          table.append({runs_a[run].rank, static_cast<int64_t>(pair.depth), text_of(named.nodes.kind[node]),
                        named.name_of(node), cell(text_of(status)), *metric,
                        cell(named.metrics[*named.find_metric(*metric)].unit), inclusive.a, inclusive.b,
                        inclusive.b - inclusive.a, cell(ratio), exclusive.a, exclusive.b});
        });
  }
}

}  // namespace

ComparisonTable compare_call_tree_table() {
  return {.name = "compare_call_tree",
          .about =
              "the call trees of both profiles by the path of frames, with what a metric says; what changed most "
              "first",
          .columns = {rank_column(), depth_column("depth", "steps from the root"),
                      text_column("kind", "root, entry (a thread), function, loop, line or instruction"),
                      key_column("name", "what is called, as A has it"), key_column("status", "both, only_a or only_b"),
                      text_column("metric", "that is compared"), text_column("unit", "of the metric"),
                      real_column("a", "", "in A, here and below"), real_column("b", "", "in B"),
                      real_column("delta", "", "b - a"), real_column("ratio", "", "b / a"),
                      real_column("exclusive_a", "", "in A, here and not below: adds up to the root"),
                      real_column("exclusive_b", "", "in B")},
          .options = {kMetricOption},
          .append_rows = append_call_trees};
}

}  // namespace cgpu
