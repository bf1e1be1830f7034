#include "serve/flame_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/device/device_ops.h"
#include "tiles/lanes/call_path_lane.h"
#include "tiles/timeline_view.h"

namespace cgpu {

StackTree fold_host_time(const Session& session, StepFrames steps) {
  StackTree tree;
  StackFolder folder(tree, steps);
  for (const Run& run : session.runs) {
    folder.fold_host(
        run.timeline, [&](uint32_t node, SliceIndex) { ++tree.nodes[node].count; },
        [&](uint32_t node, int64_t ns) { tree.nodes[node].self += static_cast<double>(ns); });
  }
  tree.add_up();
  return tree;
}

StackTree fold_idle_time(const SessionFacts& facts, StepFrames steps) {
  StackTree tree;
  StackFolder folder(tree, steps);
  const auto other = static_cast<uint8_t>(SliceKind::other);
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    const Timeline& whole = ops_in_full_run(facts.session(), run, {}).timeline;
    folder.enter(whole);
    for (const auto& [device, ops] : ops_by_device(facts.run(run).timeline)) {
      facts.idle().for_each_gap(run, ops, [&](const IdleGap&, const std::vector<IdlePart>& parts) {
        for (const IdlePart& part : parts) {
          uint32_t at = part.host == kNone ? StackTree::kRoot : folder.node_of(part.host);
          if (part.culprit == kNone) {
            at = tree.child(at, tree.name(text_of(part.reason)), other);
          } else if (part.culprit != part.host) {
            at = tree.child(at, tree.name(whole.name(part.culprit)), static_cast<uint8_t>(whole.kind(part.culprit)));
          }
          StackTree::Node& cause = tree.nodes[tree.child(at, tree.name(text_of(part.cause)), other)];
          ++cause.count;
          cause.self += static_cast<double>(part.time.end - part.time.begin);
        }
      });
    }
  }
  tree.add_up();
  return tree;
}

StackTree fold_device_time(const Session& session, StepFrames steps) {
  StackTree tree;
  StackFolder folder(tree, steps);
  for (size_t run = 0; run < session.runs.size(); ++run) {
    folder.fold_device(session, run, [&](uint32_t node, SliceIndex slice) {
      ++tree.nodes[node].count;
      tree.nodes[node].self += static_cast<double>(session.runs[run].timeline.slices.duration[slice]);
    });
  }
  tree.add_up();
  return tree;
}

StackTree fold_call_trees(const Session& session, const std::string& metric) {
  StackTree folded;
  for (const Run& run : session.runs) {
    const auto index = run.call_tree ? run.call_tree->find_metric(metric) : std::nullopt;
    if (!index) continue;
    const CallTree& tree = *run.call_tree;
    const std::vector<double> exclusive = exclusive_values(tree, *index);
    std::vector<uint32_t> node_of(tree.nodes.size(), StackTree::kRoot);
    for (NodeIndex i = 1; i < tree.nodes.size(); ++i) {  // the root says nothing
      const uint8_t kind = slice_kind_of(tree.nodes.kind[i]);
      node_of[i] = folded.child(node_of[tree.nodes.parent[i]], folded.name(tree.name_of(i)), kind);
      StackTree::Node& node = folded.nodes[node_of[i]];
      ++node.count;
      if (std::isfinite(exclusive[i]) && exclusive[i] > 0) node.self += exclusive[i];
    }
  }
  folded.add_up();
  return folded;
}

StackTree focus_on(const StackTree& tree, std::string_view name) {
  StackTree focused = tree;
  std::vector<bool> inside(tree.nodes.size());
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const StackTree::Node& node = tree.nodes[i];
    inside[i] = tree.names[node.name] == name || (node.parent != StackTree::kRoot && inside[node.parent]);
    if (!inside[i]) focused.nodes[i].self = 0;
  }
  focused.add_up();
  return focused;
}

StackTree inverted(const StackTree& tree, const std::optional<std::string>& focus) {
  StackTree turned;
  turned.names = tree.names;
  std::vector<bool> below_focus(tree.nodes.size());  // an outer instance counts what is inside
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const StackTree::Node& node = tree.nodes[i];
    const bool wanted = focus && tree.names[node.name] == *focus;
    const bool outermost = node.parent == StackTree::kRoot || !below_focus[node.parent];
    below_focus[i] = wanted || !outermost;
    const double value = focus ? (wanted && outermost ? node.value : 0) : node.self;
    if (!(value > 0)) continue;
    uint32_t at = StackTree::kRoot;
    for (uint32_t from = static_cast<uint32_t>(i); from != StackTree::kRoot; from = tree.nodes[from].parent) {
      at = turned.child(at, tree.nodes[from].name, tree.nodes[from].kind);
      turned.nodes[at].kernel_class = tree.nodes[from].kernel_class;
      turned.nodes[at].value += value;
      turned.nodes[at].count += node.count;
    }
    turned.nodes[at].self += value;
  }
  return turned;
}

StackTree pruned(const StackTree& tree, double share) {
  const double least = tree.total() * share;
  std::vector<uint32_t> order(tree.nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  // Children of one parent side by side, the largest first; the roots behind all others.
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const StackTree::Node& x = tree.nodes[a];
    const StackTree::Node& y = tree.nodes[b];
    return std::tuple(x.parent, -x.value, a) < std::tuple(y.parent, -y.value, b);
  });
  std::vector<uint32_t> first(tree.nodes.size() + 2, 0);  // of the children of a node in `order`; the roots' last
  const auto slot = [&](uint32_t parent) { return parent == StackTree::kRoot ? tree.nodes.size() : size_t{parent}; };
  for (const StackTree::Node& node : tree.nodes) ++first[slot(node.parent) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());

  StackTree arranged;
  arranged.names = tree.names;
  const uint32_t other = static_cast<uint32_t>(arranged.names.size());
  arranged.names.emplace_back("(other)");
  struct Open {
    size_t next;  // child, in `order`
    size_t end;
    uint32_t as;  // the node in the new tree
  };
  std::vector<Open> open = {{first[tree.nodes.size()], first[tree.nodes.size() + 1], StackTree::kRoot}};
  while (!open.empty()) {
    Open& here = open.back();
    if (here.next == here.end) {
      open.pop_back();
      continue;
    }
    const uint32_t from = order[here.next];
    StackTree::Node node = tree.nodes[from];
    node.parent = here.as;
    if (!(node.value > 0)) {  // and all behind it
      here.next = here.end;
    } else if (node.value < least) {
      StackTree::Node rest{here.as, other, static_cast<uint8_t>(SliceKind::other), StackTree::kNoClass, 0, 0, 0};
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
