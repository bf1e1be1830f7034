#include "comparison/call_tree_alignment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/call_tree/call_tree_metrics.h"
#include "comparison/pairing.h"

namespace cgpu {

namespace {

std::vector<double> or_zero(std::vector<double> values) {
  for (double& value : values) value = std::isfinite(value) ? value : 0;
  return values;
}

}  // namespace

TreeSide::TreeSide(const CallTree& call_tree, MetricIndex metric, Labels& all_labels)
    : tree(&call_tree),
      children(call_tree.nodes.size()),
      inclusive(or_zero(inclusive_values(call_tree, metric))),
      exclusive(or_zero(exclusive_values(call_tree, metric))) {
  for (NodeIndex node = 0; node < call_tree.nodes.size(); ++node) {
    labels.push_back(all_labels.of_op(call_tree.name_of(node)));
    known.insert(labels.back());
    if (call_tree.nodes.parent[node] != kNoNode) children[call_tree.nodes.parent[node]].push_back(node);
  }
}

void CallTreeAlignment::walk(const std::function<void(const AlignedCall&)>& visit) const {
  if (sides_.a->tree->nodes.size() == 0 || sides_.b->tree->nodes.size() == 0) return;
  std::vector<std::pair<Pair, size_t>> open{{{NodeIndex{0}, NodeIndex{0}}, 0}};  // with their depths
  while (!open.empty()) {
    const auto [pair, depth] = open.back();
    open.pop_back();
    AlignedCall call{.a = pair.a, .b = pair.b, .depth = depth, .inclusive = {}, .exclusive = {}};
    OfSides<std::vector<NodeIndex>> children;
    for (const Side side : kSides) {
      const std::optional<NodeIndex> node = side == Side::a ? pair.a : pair.b;
      if (!node) continue;
      call.inclusive[side] = sides_[side]->inclusive[*node];
      call.exclusive[side] = sides_[side]->exclusive[*node];
      append_children(side, *node, children[side], call.exclusive[side]);
    }
    visit(call);
    std::vector<Pair> below = paired(children);
    std::stable_sort(below.begin(), below.end(),
                     [&](const Pair& x, const Pair& y) { return change_of(x) < change_of(y); });
    for (const Pair& one : below) open.emplace_back(one, depth + 1);  // the last one comes first
  }
}

void CallTreeAlignment::append_children(Side side, NodeIndex node, std::vector<NodeIndex>& list,
                                        double& exclusive) const {
  const TreeSide& tree = *sides_[side];
  for (const NodeIndex child : tree.children[node]) {
    const bool looked_through =
        is_inside_function(tree.tree->nodes.kind[child]) && !sides_[other(side)]->known.contains(tree.labels[child]);
    if (!looked_through) {
      list.push_back(child);
      continue;
    }
    exclusive += tree.exclusive[child];
    append_children(side, child, list, exclusive);
  }
}

std::vector<CallTreeAlignment::Pair> CallTreeAlignment::paired(const OfSides<std::vector<NodeIndex>>& children) const {
  OfSides<std::vector<Likeness>> likeness;
  for (const Side side : kSides) {
    for (const NodeIndex node : children[side]) {
      likeness[side].push_back({labels_.hash(sides_[side]->labels[node]), 0, 0});
    }
  }
  const Pairing pairing = pair_elements(likeness.a, likeness.b);
  std::vector<Pair> pairs;
  for (size_t i = 0; i < children.a.size(); ++i) {
    Pair& pair = pairs.emplace_back(Pair{children.a[i], std::nullopt});
    if (pairing.of_a[i] != Pairing::kAlone) pair.b = children.b[pairing.of_a[i]];
  }
  for (size_t i = 0; i < children.b.size(); ++i) {
    if (pairing.of_b[i] == Pairing::kAlone) pairs.push_back({std::nullopt, children.b[i]});
  }
  return pairs;
}

double CallTreeAlignment::change_of(const Pair& pair) const {
  const double a = pair.a ? sides_.a->inclusive[*pair.a] : 0;
  const double b = pair.b ? sides_.b->inclusive[*pair.b] : 0;
  return std::abs(b - a);
}

}  // namespace cgpu
