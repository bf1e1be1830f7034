#include "comparison/alignment/call_tree_alignment.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/sample_counts.h"
#include "comparison/alignment/set_pairing.h"

namespace cgpu {

namespace {

std::vector<double> or_zero(std::vector<double> values) {
  for (double& value : values) value = std::isfinite(value) ? value : 0;
  return values;
}

/// What profilers call a kernel in the place of the function that it runs.
constexpr std::string_view kUnknownKernel = "<gpu kernel>";

}  // namespace

TreeSide::TreeSide(const CallTree& call_tree, MetricIndex metric, Labels& all_labels, const FunctionTotals* totals,
                   double factor)
    : tree(totals ? &totals->functions() : &call_tree), children(tree->nodes.size()) {
  const auto read = [&](MetricIndex index, std::vector<double>& here_and_below, std::vector<double>& here) {
    FunctionSums values = totals ? totals->sums(index)
                                 : FunctionSums{inclusive_values(call_tree, index), exclusive_values(call_tree, index)};
    here_and_below = or_zero(std::move(values.inclusive));
    here = or_zero(std::move(values.exclusive));
  };
  read(metric, inclusive, exclusive);
  for (double& value : inclusive) value *= factor;
  for (double& value : exclusive) value *= factor;
  inclusive_samples.resize(tree->nodes.size());
  exclusive_samples.resize(tree->nodes.size());
  keys = call_keys(*tree, inclusive, all_labels);
  const bool counts = call_tree.metrics[metric].sample_value.has_value();
  const std::optional<MetricIndex> counted = counts ? std::optional(metric) : call_tree.find_metric(kSamplesMetric);
  if (counted && call_tree.has_values(*counted)) sample_value = call_tree.metrics[*counted].sample_value;
  if (sample_value) {
    read(*counted, inclusive_samples, exclusive_samples);
    for (double& samples : inclusive_samples) samples /= *sample_value;
    for (double& samples : exclusive_samples) samples /= *sample_value;
    if (counts) *sample_value *= factor;
  }
  const CallNodes& nodes = tree->nodes;
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    common_names.insert(keys[node].common);
    has_kind[static_cast<size_t>(nodes.kind[node])] = true;
    if (nodes.parent[node] != kNoNode) children[nodes.parent[node]].push_back(node);
  }
  own = exclusive;
  own_samples = exclusive_samples;
  for (size_t i = nodes.size(); i-- > 1;) {  // children come before their parents
    const auto node = static_cast<NodeIndex>(i);
    if (!is_inside_function(nodes.kind[node])) continue;
    own[nodes.parent[node]] += own[node];
    own_samples[nodes.parent[node]] += own_samples[node];
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
                     .own_only = pair.own_only,
                     .depth = depth,
                     .inclusive = {},
                     .exclusive = {},
                     .inclusive_samples = {},
                     .exclusive_samples = {}};
    Lists children;
    for (const Side side : kSides) {
      const std::optional<NodeIndex> node = side == Side::a ? pair.a : pair.b;
      if (!node) continue;
      if (pair.own_only) {
        call.inclusive[side] = call.exclusive[side] = sides_[side]->own[*node];
        call.inclusive_samples[side] = call.exclusive_samples[side] = sides_[side]->own_samples[*node];
        continue;
      }
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
    std::vector<Pair> below = paired(std::move(children), call);
    visit(call);
    std::ranges::stable_sort(below, [&](const Pair& x, const Pair& y) { return is_visited_after(x, y); });
    for (const Pair& one : below) open.emplace_back(one, depth + 1);  // the last one comes first
  }
}

void CallTreeAlignment::append_children(Side side, NodeIndex node, std::vector<NodeIndex>& list,
                                        AlignedCall& call) const {
  const TreeSide& tree = *sides_[side];
  for (const NodeIndex child : tree.children[node]) {
    const NodeKind kind = tree.tree->nodes.kind[child];
    if (!is_inside_function(kind) || sides_[other(side)]->has_kind[static_cast<size_t>(kind)]) {
      list.push_back(child);
      continue;
    }
    add_own(side, child, call);
    append_children(side, child, list, call);
  }
}

void CallTreeAlignment::add_own(Side side, NodeIndex node, AlignedCall& call) const {
  call.exclusive[side] += sides_[side]->exclusive[node];
  call.exclusive_samples[side] += sides_[side]->exclusive_samples[node];
}

bool CallTreeAlignment::is_unknown_kernel(const Pair& pair) const {
  return pair.a && pair.b && sides_.a->tree->name_of(*pair.a) == kUnknownKernel &&
         sides_.b->tree->name_of(*pair.b) == kUnknownKernel;
}

std::vector<CallTreeAlignment::Pair> CallTreeAlignment::matched(Lists nodes, Lists& alone) const {
  for (const Side side : kSides) {
    const TreeSide& tree = *sides_[side];
    const CallNodes& of_tree = tree.tree->nodes;
    const auto place = [&](NodeIndex node) {
      const uint32_t line = of_tree.call_line.empty() ? of_tree.line[node] : of_tree.call_line[node];
      return std::tuple(line, -tree.inclusive[node], tree.keys[node].subtree);
    };
    std::ranges::stable_sort(nodes[side], [&](NodeIndex x, NodeIndex y) { return place(x) < place(y); });
  }
  SetPairing pairing({nodes.a.size(), nodes.b.size()});
  const auto by = [&](auto key_of) -> SetPairing::KeyOf {
    return [&nodes, this, key_of](Side side, size_t i) -> uint64_t {
      const NodeIndex node = nodes[side][i];
      return key_of(sides_[side]->keys[node], sides_[side]->tree->nodes.kind[node]);
    };
  };
  const auto with = [](uint64_t a, uint64_t b) { return a * 0x9e3779b97f4a7c15 ^ b; };
  pairing.pair_equal(by([](const CallKeys& keys, NodeKind) { return keys.subtree; }));
  pairing.pair_equal(by([&](const CallKeys& keys, NodeKind) { return with(keys.exact, keys.callees); }));
  pairing.pair_equal(by([&](const CallKeys& keys, NodeKind) {  // a line or loop that moved
    return keys.callees == 0 ? 0 : with(keys.common, keys.callees);
  }));
  pairing.pair_equal(by([](const CallKeys& keys, NodeKind) { return keys.exact; }));
  pairing.pair_equal(by([](const CallKeys& keys, NodeKind) { return keys.name; }));
  pairing.pair_equal(by([](const CallKeys& keys, NodeKind) { return keys.function; }));
  // Names without numbers: what is called says which is which; a line or loop that calls nothing is its number.
  const auto rough = [](const CallKeys& keys, NodeKind kind) {
    const bool is_number = (kind == NodeKind::line || kind == NodeKind::loop) && keys.children == 0;
    return is_number ? 0 : keys.common;
  };
  pairing.pair_unique(by([&](const CallKeys& keys, NodeKind kind) {
    const uint64_t key = rough(keys, kind);
    return key == 0 || keys.children == 0 ? 0 : with(key, keys.children);
  }));
  pairing.pair_unique(by(rough));
  std::vector<Pair> pairs;
  for (size_t i = 0; i < nodes.a.size(); ++i) {
    if (const std::optional<size_t> partner = pairing.partner(Side::a, i)) {
      pairs.push_back({nodes.a[i], nodes.b[*partner]});
    }
  }
  for (const Side side : kSides) {
    for (size_t i = 0; i < nodes[side].size(); ++i) {
      if (!pairing.partner(side, i)) alone[side].push_back(nodes[side][i]);
    }
  }
  return pairs;
}

std::vector<CallTreeAlignment::Pair> CallTreeAlignment::paired(Lists children, AlignedCall& call) const {
  Lists alone;
  std::vector<Pair> pairs = matched(std::move(children), alone);
  pair_below(alone, pairs, call);
  return pairs;
}

bool CallTreeAlignment::is_passed(Side side, NodeIndex node) const {
  const TreeSide& tree = *sides_[side];
  if (tree.children[node].empty()) return false;
  if (is_inside_function(tree.tree->nodes.kind[node])) return true;
  return !sides_[other(side)]->common_names.contains(tree.keys[node].common);
}

bool CallTreeAlignment::takes_time_itself(Side side, NodeIndex node) const {
  return !is_inside_function(sides_[side]->tree->nodes.kind[node]) && sides_[side]->own[node] != 0;
}

double CallTreeAlignment::passed_own(Side side, NodeIndex node) const {
  if (!is_passed(side, node)) return 0;
  double own = takes_time_itself(side, node) ? sides_[side]->own[node] : 0;
  for (const NodeIndex child : sides_[side]->children[node]) own += passed_own(side, child);
  return own;
}

void CallTreeAlignment::append_reached(Side side, Reached reached, bool in_own, std::vector<Reached>& list) const {
  const bool is_inside = is_inside_function(sides_[side]->tree->nodes.kind[reached.node]);
  if (!is_passed(side, reached.node)) {
    if (!is_inside || !in_own) list.push_back(reached);
    return;
  }
  const bool has_own = is_inside ? in_own : takes_time_itself(side, reached.node);
  for (const NodeIndex child : sides_[side]->children[reached.node]) {
    append_reached(side, {child, reached.from}, has_own, list);
  }
}

void CallTreeAlignment::add_passed(Side side, NodeIndex node, std::vector<Pair>& pairs, AlignedCall* caller) const {
  if (!is_passed(side, node)) return;
  const bool has_own = takes_time_itself(side, node);
  if (has_own) {
    pairs.push_back(side == Side::a ? Pair{node, std::nullopt, true} : Pair{std::nullopt, node, true});
  } else if (caller != nullptr) {
    add_own(side, node, *caller);
  }
  for (const NodeIndex child : sides_[side]->children[node]) {
    add_passed(side, child, pairs, has_own ? nullptr : caller);
  }
}

std::vector<CallTreeAlignment::Pair> CallTreeAlignment::supported(
    std::vector<Pair> pairs, const PerSide<std::unordered_map<NodeIndex, NodeIndex>>& from, Lists& left) const {
  constexpr double kEnough = 0.5;
  PerSide<std::unordered_map<NodeIndex, double>> own;  // of what is reached from
  for (const Pair& pair : pairs) {
    for (const Side side : kSides) {
      const NodeIndex node = from[side].at(side == Side::a ? *pair.a : *pair.b);
      if (!own[side].contains(node)) own[side].emplace(node, passed_own(side, node));
    }
  }
  while (true) {
    PerSide<std::unordered_map<NodeIndex, double>> paired;  // inclusive, by what it is reached from
    for (const Pair& pair : pairs) {
      paired.a[from.a.at(*pair.a)] += sides_.a->inclusive[*pair.a];
      paired.b[from.b.at(*pair.b)] += sides_.b->inclusive[*pair.b];
    }
    PerSide<std::unordered_set<NodeIndex>> weak;
    for (const Side side : kSides) {
      for (const auto& [node, value] : paired[side]) {
        const double itself = own[side].at(node);
        if (itself != 0 && value < kEnough * (sides_[side]->inclusive[node] - itself)) weak[side].insert(node);
      }
    }
    if (weak.a.empty() && weak.b.empty()) return pairs;
    std::erase_if(pairs, [&](const Pair& pair) {
      if (!weak.a.contains(from.a.at(*pair.a)) && !weak.b.contains(from.b.at(*pair.b))) return false;
      left.a.push_back(*pair.a);
      left.b.push_back(*pair.b);
      return true;
    });
  }
}

void CallTreeAlignment::pair_below(const Lists& alone, std::vector<Pair>& pairs, AlignedCall& call) const {
  PerSide<std::unordered_map<NodeIndex, NodeIndex>> from;  // of what is reached
  Lists reached;
  if (!alone.a.empty() && !alone.b.empty()) {
    for (const Side side : kSides) {
      std::vector<Reached> list;
      for (const NodeIndex node : alone[side]) append_reached(side, {node, node}, false, list);
      for (const Reached& one : list) {
        reached[side].push_back(one.node);
        from[side].emplace(one.node, one.from);
      }
    }
  }
  Lists left;
  PerSide<std::unordered_set<NodeIndex>> opened;  // what a pair was reached from
  std::vector<Pair> found = matched(reached, left);
  for (const Pair& pair : supported(std::move(found), from, left)) {
    pairs.push_back(pair);
    opened.a.insert(from.a.at(*pair.a));
    opened.b.insert(from.b.at(*pair.b));
  }
  for (const Side side : kSides) {
    const auto add_alone = [&](NodeIndex node) {
      pairs.push_back(side == Side::a ? Pair{node, std::nullopt} : Pair{std::nullopt, node});
    };
    for (const NodeIndex node : left[side]) {
      if (opened[side].contains(from[side].at(node))) add_alone(node);
    }
    for (const NodeIndex node : alone[side]) {
      if (opened[side].contains(node)) {
        add_passed(side, node, pairs, &call);
      } else {
        add_alone(node);
      }
    }
  }
}

double CallTreeAlignment::change_of(const Pair& pair) const {
  const auto value = [&](Side side, std::optional<NodeIndex> node) {
    if (!node) return 0.0;
    return pair.own_only ? sides_[side]->own[*node] : sides_[side]->inclusive[*node];
  };
  return std::abs(value(Side::b, pair.b) - value(Side::a, pair.a));
}

bool CallTreeAlignment::is_visited_after(const Pair& x, const Pair& y) const {
  const double change_x = change_of(x);
  const double change_y = change_of(y);
  if (change_x != change_y) return change_x < change_y;
  const auto identity = [&](const Pair& pair) {  // the same of the mirrored pair
    return (pair.a ? sides_.a->keys[*pair.a].subtree : 0) + (pair.b ? sides_.b->keys[*pair.b].subtree : 0);
  };
  return identity(x) > identity(y);
}

}  // namespace cgpu
