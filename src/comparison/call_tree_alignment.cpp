#include "comparison/call_tree_alignment.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/sample_counts.h"
#include "base/sort_stably.h"

namespace cgpu {

namespace {

std::vector<double> or_zero(std::vector<double> values) {
  for (double& value : values) value = std::isfinite(value) ? value : 0;
  return values;
}

/// What profilers call a kernel in the place of the function that it runs.
constexpr std::string_view kUnknownKernel = "<gpu kernel>";

/// "hipLaunchKernel" of "hipLaunchKernel [libamdhip64.so.5]".
std::string_view without_binary(std::string_view name) {
  const size_t binary = name.ends_with(']') ? name.rfind(" [") : std::string_view::npos;
  return binary == std::string_view::npos ? name : name.substr(0, binary);
}

}  // namespace

TreeSide::TreeSide(const CallTree& call_tree, MetricIndex metric, Labels& all_labels)
    : tree(&call_tree),
      children(call_tree.nodes.size()),
      inclusive(or_zero(inclusive_values(call_tree, metric))),
      exclusive(or_zero(exclusive_values(call_tree, metric))),
      inclusive_samples(call_tree.nodes.size()),
      exclusive_samples(call_tree.nodes.size()) {
  const bool counts = call_tree.metrics[metric].sample_value.has_value();
  const std::optional<MetricIndex> counted = counts ? std::optional(metric) : call_tree.find_metric(kSamplesMetric);
  if (counted && call_tree.has_values(*counted)) sample_value = call_tree.metrics[*counted].sample_value;
  if (sample_value) {
    inclusive_samples = or_zero(inclusive_values(call_tree, *counted));
    exclusive_samples = or_zero(exclusive_values(call_tree, *counted));
    for (double& samples : inclusive_samples) samples /= *sample_value;
    for (double& samples : exclusive_samples) samples /= *sample_value;
  }
  for (NodeIndex node = 0; node < call_tree.nodes.size(); ++node) {
    const std::string name = call_tree.name_of(node);
    labels.push_back(all_labels.of_op(name));
    functions.push_back(all_labels.of_op(without_binary(name)));
    known.insert({labels.back(), functions.back()});
    if (call_tree.nodes.parent[node] != kNoNode) children[call_tree.nodes.parent[node]].push_back(node);
  }
  own = exclusive;
  for (size_t i = call_tree.nodes.size(); i-- > 1;) {  // children come before their parents
    const auto node = static_cast<NodeIndex>(i);
    if (is_inside_function(call_tree.nodes.kind[node])) own[call_tree.nodes.parent[node]] += own[node];
  }
  // Of several of one name those with a value stand first, so that they find each other.
  for (std::vector<NodeIndex>& list : children) {
    std::stable_partition(list.begin(), list.end(), [&](NodeIndex node) { return inclusive[node] != 0; });
  }
}

void CallTreeAlignment::walk(const std::function<void(const AlignedCall&)>& visit) const {
  if (sides_.a->tree->nodes.size() == 0 || sides_.b->tree->nodes.size() == 0) return;
  std::vector<std::pair<Pair, size_t>> open{{{NodeIndex{0}, NodeIndex{0}}, 0}};  // with their depths
  while (!open.empty()) {
    const auto [pair, depth] = open.back();
    open.pop_back();
    AlignedCall call{.a = pair.a,
                     .b = pair.b,
                     .depth = depth,
                     .inclusive = {},
                     .exclusive = {},
                     .inclusive_samples = {},
                     .exclusive_samples = {}};
    OfSides<std::vector<NodeIndex>> children;
    for (const Side side : kSides) {
      const std::optional<NodeIndex> node = side == Side::a ? pair.a : pair.b;
      if (!node) continue;
      call.inclusive[side] = sides_[side]->inclusive[*node];
      call.exclusive[side] = sides_[side]->exclusive[*node];
      call.inclusive_samples[side] = sides_[side]->inclusive_samples[*node];
      call.exclusive_samples[side] = sides_[side]->exclusive_samples[*node];
      append_children(side, *node, children[side], call);
    }
    if (is_unknown_kernel(pair) && children.a.empty() != children.b.empty()) {
      call.exclusive = call.inclusive;
      call.exclusive_samples = call.inclusive_samples;
      children = {};
    }
    visit(call);
    std::vector<Pair> below = paired(children);
    sort_stably(below, [&](const Pair& x, const Pair& y) { return change_of(x) < change_of(y); });
    for (const Pair& one : below) open.emplace_back(one, depth + 1);  // the last one comes first
  }
}

void CallTreeAlignment::append_children(Side side, NodeIndex node, std::vector<NodeIndex>& list,
                                        AlignedCall& call) const {
  const TreeSide& tree = *sides_[side];
  for (const NodeIndex child : tree.children[node]) {
    const bool looked_through =
        is_inside_function(tree.tree->nodes.kind[child]) && !sides_[other(side)]->known.contains(tree.labels[child]);
    if (!looked_through) {
      list.push_back(child);
      continue;
    }
    call.exclusive[side] += tree.exclusive[child];
    call.exclusive_samples[side] += tree.exclusive_samples[child];
    append_children(side, child, list, call);
  }
}

bool CallTreeAlignment::is_unknown_kernel(const Pair& pair) const {
  return pair.a && pair.b && sides_.a->tree->name_of(*pair.a) == kUnknownKernel &&
         sides_.b->tree->name_of(*pair.b) == kUnknownKernel;
}

Pairing CallTreeAlignment::pairing_of(const OfSides<std::vector<NodeIndex>>& nodes) const {
  OfSides<std::vector<Likeness>> likeness;
  for (const Side side : kSides) {
    for (const NodeIndex node : nodes[side]) {
      likeness[side].push_back(
          {labels_.hash(sides_[side]->labels[node]), labels_.hash(sides_[side]->functions[node]), 0});
    }
  }
  return pair_elements(likeness.a, likeness.b);
}

std::vector<CallTreeAlignment::Pair> CallTreeAlignment::paired(const OfSides<std::vector<NodeIndex>>& children) const {
  const Pairing pairing = pairing_of(children);
  std::vector<Pair> pairs;
  OfSides<std::vector<NodeIndex>> alone;
  for (size_t i = 0; i < children.a.size(); ++i) {
    if (pairing.of_a[i] == Pairing::kAlone) {
      alone.a.push_back(children.a[i]);
    } else {
      pairs.push_back({children.a[i], children.b[pairing.of_a[i]]});
    }
  }
  for (size_t i = 0; i < children.b.size(); ++i) {
    if (pairing.of_b[i] == Pairing::kAlone) alone.b.push_back(children.b[i]);
  }
  const std::vector<Pair> below = paired_below(alone);
  pairs.insert(pairs.end(), below.begin(), below.end());
  return pairs;
}

void CallTreeAlignment::append_reached(Side side, Reached reached, std::vector<Reached>& list) const {
  const TreeSide& tree = *sides_[side];
  const std::vector<NodeIndex>& children = tree.children[reached.node];
  const bool is_known = !is_inside_function(tree.tree->nodes.kind[reached.node]) &&
                        sides_[other(side)]->known.contains(tree.functions[reached.node]);
  const bool ends = is_known || tree.own[reached.node] != 0 || children.empty();
  if (ends) {
    list.push_back(reached);
    return;
  }
  for (const NodeIndex child : children) append_reached(side, {child, reached.from}, list);
}

std::vector<CallTreeAlignment::Pair> CallTreeAlignment::paired_below(
    const OfSides<std::vector<NodeIndex>>& alone) const {
  OfSides<std::vector<Reached>> reached;
  OfSides<std::vector<NodeIndex>> nodes;
  OfSides<std::unordered_set<NodeIndex>> opened;  // what a pair was reached from
  if (!alone.a.empty() && !alone.b.empty()) {
    for (const Side side : kSides) {
      for (const NodeIndex node : alone[side]) append_reached(side, {node, node}, reached[side]);
      for (const Reached& one : reached[side]) nodes[side].push_back(one.node);
    }
  }
  const Pairing pairing = pairing_of(nodes);
  std::vector<Pair> pairs;
  for (size_t i = 0; i < nodes.a.size(); ++i) {
    if (pairing.of_a[i] == Pairing::kAlone) continue;
    pairs.push_back({nodes.a[i], nodes.b[pairing.of_a[i]]});
    opened.a.insert(reached.a[i].from);
    opened.b.insert(reached.b[pairing.of_a[i]].from);
  }
  const auto add_alone = [&](Side side, NodeIndex node) {
    pairs.push_back(side == Side::a ? Pair{node, std::nullopt} : Pair{std::nullopt, node});
  };
  for (const Side side : kSides) {
    const std::vector<uint32_t>& partners = side == Side::a ? pairing.of_a : pairing.of_b;
    for (size_t i = 0; i < nodes[side].size(); ++i) {
      if (partners[i] == Pairing::kAlone && opened[side].contains(reached[side][i].from))
        add_alone(side, nodes[side][i]);
    }
    for (const NodeIndex node : alone[side]) {
      if (!opened[side].contains(node)) add_alone(side, node);
    }
  }
  return pairs;
}

double CallTreeAlignment::change_of(const Pair& pair) const {
  const double a = pair.a ? sides_.a->inclusive[*pair.a] : 0;
  const double b = pair.b ? sides_.b->inclusive[*pair.b] : 0;
  return std::abs(b - a);
}

}  // namespace cgpu
