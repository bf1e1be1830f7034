#include "serve/flame_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/call_tree_metrics.h"
#include "analysis/launch_calls.h"
#include "analysis/merged_names.h"
#include "analysis/nesting.h"
#include "tiles/timeline_view.h"

namespace cgpu {

uint32_t FlameTree::name(std::string_view text) {
  const auto [at, is_new] = number_of_.try_emplace(std::string(text), static_cast<uint32_t>(names.size()));
  if (is_new) names.emplace_back(text);
  return at->second;
}

size_t FlameTree::slot_of(uint64_t key) const {
  const size_t mask = child_of_.size() - 1;
  size_t at = (key * 0x9E3779B97F4A7C15U) >> 32 & mask;
  while (child_of_[at].key != key && child_of_[at].key != UINT64_MAX) at = (at + 1) & mask;
  return at;
}

uint32_t FlameTree::child(uint32_t parent, uint32_t name, uint8_t kind) {
  if (2 * nodes.size() >= child_of_.size()) {
    child_of_.assign(std::max<size_t>(64, 2 * child_of_.size()), {});
    for (uint32_t node = 0; node < nodes.size(); ++node) {
      const uint64_t key = uint64_t{nodes[node].parent} << 32 | nodes[node].name;
      child_of_[slot_of(key)] = {key, node};
    }
  }
  const uint64_t key = uint64_t{parent} << 32 | name;
  Slot& slot = child_of_[slot_of(key)];
  if (slot.key != key) {
    slot = {key, static_cast<uint32_t>(nodes.size())};
    nodes.push_back({parent, name, kind, 0, 0, 0});
  }
  return slot.node;
}

void FlameTree::add_up() {
  for (Node& node : nodes) node.value = node.self;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].parent != kRoot) nodes[nodes[i].parent].value += nodes[i].value;
  }
}

double FlameTree::total() const {
  double total = 0;
  for (const Node& node : nodes) total += node.parent == kRoot ? node.value : 0;
  return total;
}

namespace {

/// Folds the host slices of all runs. Calls visit(run, node_of) for each run with the node of every slice, kRoot for
/// those without one.
template <typename Visit>
void fold_host_slices(const Session& session, FlameTree& tree, Visit visit) {
  MergedNames merged;
  std::vector<uint32_t> name_of;  // in the tree, by merged number
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    const Slices& slices = timeline.slices;
    merged.enter(timeline.names);
    std::vector<uint32_t> node_of(slices.size(), FlameTree::kRoot);
    for_each_outside_in(slices, [&](SliceIndex slice) {
      const SliceKind kind = timeline.kind(slice);
      if (!is_host(kind)) return;
      const uint32_t above = slices.parent[slice] == kNone ? FlameTree::kRoot : node_of[slices.parent[slice]];
      node_of[slice] = above;
      if (!is_plausible(timeline, slice)) return;
      const StringId number = merged.number(slices.name[slice]);
      while (name_of.size() <= number) name_of.push_back(UINT32_MAX);
      if (name_of[number] == UINT32_MAX) name_of[number] = tree.name(merged.text(number));
      node_of[slice] = tree.child(above, name_of[number], static_cast<uint8_t>(kind));
    });
    visit(run, node_of);
  }
}

}  // namespace

FlameTree fold_host_time(const Session& session) {
  FlameTree tree;
  fold_host_slices(session, tree, [&](const Run& run, const std::vector<uint32_t>& node_of) {
    const Slices& slices = run.timeline.slices;
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (node_of[slice] == FlameTree::kRoot || !is_plausible(run.timeline, slice)) continue;
      FlameTree::Node& node = tree.nodes[node_of[slice]];
      ++node.count;
      node.value += static_cast<double>(slices.duration[slice]);
    }
  });
  // Slices that overlap without nesting can hold more below them than they last.
  std::vector<double> below(tree.nodes.size(), 0);
  for (size_t i = tree.nodes.size(); i-- > 0;) {
    FlameTree::Node& node = tree.nodes[i];
    node.value = std::max(node.value, below[i]);
    node.self = node.value - below[i];
    if (node.parent != FlameTree::kRoot) below[node.parent] += node.value;
  }
  return tree;
}

FlameTree fold_device_time(const Session& session) {
  FlameTree tree;
  fold_host_slices(session, tree, [&](const Run& run, const std::vector<uint32_t>& node_of) {
    const Timeline& timeline = run.timeline;
    std::vector<uint32_t> name_of(timeline.names.size(), UINT32_MAX);
    for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
      const SliceIndex call = launch_of(timeline, slice);
      uint32_t above = call == kNone ? FlameTree::kRoot : node_of[call];
      if (call == kNone) {
        above = tree.child(FlameTree::kRoot, tree.name("(launch not in the profile)"),
                           static_cast<uint8_t>(SliceKind::other));
      }
      uint32_t& name = name_of[timeline.slices.name[slice]];
      if (name == UINT32_MAX) name = tree.name(timeline.name(slice));
      FlameTree::Node& node = tree.nodes[tree.child(above, name, static_cast<uint8_t>(timeline.kind(slice)))];
      ++node.count;
      node.self += static_cast<double>(timeline.slices.duration[slice]);
    });
  });
  tree.add_up();
  return tree;
}

FlameTree fold_call_trees(const Session& session, const std::string& metric) {
  FlameTree folded;
  for (const Run& run : session.runs) {
    const auto index = run.call_tree ? run.call_tree->find_metric(metric) : std::nullopt;
    if (!index) continue;
    const CallTree& tree = *run.call_tree;
    const std::vector<double> exclusive = exclusive_values(tree, *index);
    std::vector<uint32_t> node_of(tree.nodes.size(), FlameTree::kRoot);
    for (NodeIndex i = 1; i < tree.nodes.size(); ++i) {  // the root says nothing
      const uint8_t kind = TimelineView::kind_of(tree.nodes.kind[i]);
      node_of[i] = folded.child(node_of[tree.nodes.parent[i]], folded.name(tree.name_of(i)), kind);
      FlameTree::Node& node = folded.nodes[node_of[i]];
      ++node.count;
      if (std::isfinite(exclusive[i]) && exclusive[i] > 0) node.self += exclusive[i];
    }
  }
  folded.add_up();
  return folded;
}

FlameTree focus_on(const FlameTree& tree, std::string_view name) {
  FlameTree focused = tree;
  std::vector<bool> inside(tree.nodes.size());
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const FlameTree::Node& node = tree.nodes[i];
    inside[i] = tree.names[node.name] == name || (node.parent != FlameTree::kRoot && inside[node.parent]);
    if (!inside[i]) focused.nodes[i].self = 0;
  }
  focused.add_up();
  return focused;
}

FlameTree turn_around(const FlameTree& tree, const std::optional<std::string>& focus) {
  FlameTree turned;
  turned.names = tree.names;
  std::vector<bool> below_focus(tree.nodes.size());  // an outer instance counts what is inside
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const FlameTree::Node& node = tree.nodes[i];
    const bool wanted = focus && tree.names[node.name] == *focus;
    const bool outermost = node.parent == FlameTree::kRoot || !below_focus[node.parent];
    below_focus[i] = wanted || !outermost;
    const double value = focus ? (wanted && outermost ? node.value : 0) : node.self;
    if (!(value > 0)) continue;
    uint32_t at = FlameTree::kRoot;
    for (uint32_t from = static_cast<uint32_t>(i); from != FlameTree::kRoot; from = tree.nodes[from].parent) {
      at = turned.child(at, tree.nodes[from].name, tree.nodes[from].kind);
      turned.nodes[at].value += value;
      turned.nodes[at].count += node.count;
    }
    turned.nodes[at].self += value;
  }
  return turned;
}

FlameTree arrange(const FlameTree& tree, double share) {
  const double least = tree.total() * share;
  std::vector<uint32_t> order(tree.nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  // Children of one parent side by side, the largest first; the roots behind all others.
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const FlameTree::Node& x = tree.nodes[a];
    const FlameTree::Node& y = tree.nodes[b];
    return std::tuple(x.parent, -x.value, a) < std::tuple(y.parent, -y.value, b);
  });
  std::vector<uint32_t> first(tree.nodes.size() + 2, 0);  // of the children of a node in `order`; the roots' last
  const auto slot = [&](uint32_t parent) { return parent == FlameTree::kRoot ? tree.nodes.size() : size_t{parent}; };
  for (const FlameTree::Node& node : tree.nodes) ++first[slot(node.parent) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());

  FlameTree arranged;
  arranged.names = tree.names;
  const uint32_t other = static_cast<uint32_t>(arranged.names.size());
  arranged.names.emplace_back("(other)");
  struct Open {
    size_t next;  // child, in `order`
    size_t end;
    uint32_t as;  // the node in the new tree
  };
  std::vector<Open> open = {{first[tree.nodes.size()], first[tree.nodes.size() + 1], FlameTree::kRoot}};
  while (!open.empty()) {
    Open& here = open.back();
    if (here.next == here.end) {
      open.pop_back();
      continue;
    }
    const uint32_t from = order[here.next];
    FlameTree::Node node = tree.nodes[from];
    node.parent = here.as;
    if (!(node.value > 0)) {  // and all behind it
      here.next = here.end;
    } else if (node.value < least) {
      FlameTree::Node rest{here.as, other, static_cast<uint8_t>(SliceKind::other), 0, 0, 0};
      for (; here.next < here.end; ++here.next) {
        rest.value += tree.nodes[order[here.next]].value;
        rest.count += tree.nodes[order[here.next]].count;
      }
      rest.self = rest.value;
      arranged.nodes.push_back(rest);
    } else {
      ++here.next;
      arranged.nodes.push_back(node);
      open.push_back({first[from], first[from + 1], static_cast<uint32_t>(arranged.nodes.size()) - 1});
    }
  }
  return arranged;
}

}  // namespace cgpu
