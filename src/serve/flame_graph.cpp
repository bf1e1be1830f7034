#include "serve/flame_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/call_tree/call_tree_metrics.h"
#include "analysis/common/merged_names.h"
#include "analysis/host/launch_calls.h"
#include "analysis/steps/step_times.h"
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
    nodes.push_back({parent, name, kind, kNoClass, 0, 0, 0});
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

/// Folds host slices of one run after another into a tree, each with those above it when it is first asked for.
class HostFolder {
 public:
  HostFolder(FlameTree& tree, StepFrames steps) : tree_(tree), steps_(steps) {}

  void enter(const Timeline& timeline) {
    timeline_ = &timeline;
    merged_.enter(timeline.names);
    node_of_.assign(timeline.slices.size(), kUnasked);
  }

  /// The node of a slice; that of the one above where it does not count; kRoot where there is none.
  uint32_t node_of(SliceIndex slice) {
    above_.clear();
    for (; slice != kNone && node_of_[slice] == kUnasked; slice = timeline_->slices.parent[slice]) {
      above_.push_back(slice);
    }
    uint32_t node = slice == kNone ? FlameTree::kRoot : node_of_[slice];
    for (; !above_.empty(); above_.pop_back()) {
      if (counts(above_.back())) node = fold(above_.back(), node);
      node_of_[above_.back()] = node;
    }
    return node;
  }

  bool counts(SliceIndex slice) const { return is_host(timeline_->kind(slice)) && is_plausible(*timeline_, slice); }

 private:
  static constexpr uint32_t kUnasked = UINT32_MAX - 1;
  static_assert(kUnasked != FlameTree::kRoot);

  uint32_t fold(SliceIndex slice, uint32_t above) {
    const StringId number = merged_.number(timeline_->slices.name[slice]);
    while (name_of_.size() <= number) name_of_.push_back(UINT32_MAX);
    if (name_of_[number] == UINT32_MAX) name_of_[number] = tree_.name(frame_name(merged_.text(number)));
    return tree_.child(above, name_of_[number], static_cast<uint8_t>(timeline_->kind(slice)));
  }

  /// "ProfilerStep" for "ProfilerStep#17" where steps are merged.
  std::string_view frame_name(std::string_view name) const {
    if (steps_ == StepFrames::apart || !name.starts_with(kStepMark)) return name;
    const std::string_view number = name.substr(kStepMark.size());
    const bool is_step = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
    return is_step ? kStepMark.substr(0, kStepMark.size() - 1) : name;
  }

  FlameTree& tree_;
  StepFrames steps_;
  const Timeline* timeline_ = nullptr;
  MergedNames merged_;
  std::vector<uint32_t> name_of_;  // in the tree, by merged number
  std::vector<uint32_t> node_of_;  // by slice
  std::vector<SliceIndex> above_;
};

}  // namespace

FlameTree fold_host_time(const Session& session, StepFrames steps) {
  FlameTree tree;
  HostFolder folder(tree, steps);
  for (const Run& run : session.runs) {
    folder.enter(run.timeline);
    const Slices& slices = run.timeline.slices;
    for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
      if (!folder.counts(slice)) continue;
      FlameTree::Node& node = tree.nodes[folder.node_of(slice)];
      ++node.count;
      node.value += static_cast<double>(slices.duration[slice]);
    }
  }
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

FlameTree fold_device_time(const Session& session, StepFrames steps) {
  FlameTree tree;
  HostFolder folder(tree, steps);
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const Timeline& timeline = session.runs[run].timeline;
    std::vector<OpIndex> ops;
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex) { ops.push_back(op); });
    const OpsInWhole there = ops_in_whole(session, run, ops);
    folder.enter(there.timeline);
    std::vector<uint32_t> name_of(timeline.names.size(), UINT32_MAX);
    for (size_t i = 0; i < ops.size(); ++i) {
      const SliceIndex slice = timeline.device_ops.slice[ops[i]];
      const SliceIndex call = launch_of(there.timeline, there.timeline.device_ops.slice[there.ops[i]]);
      const uint32_t above = call != kNone ? folder.node_of(call)
                                           : tree.child(FlameTree::kRoot, tree.name("(launch not in the profile)"),
                                                        static_cast<uint8_t>(SliceKind::other));
      uint32_t& name = name_of[timeline.slices.name[slice]];
      if (name == UINT32_MAX) name = tree.name(timeline.name(slice));
      FlameTree::Node& node = tree.nodes[tree.child(above, name, static_cast<uint8_t>(timeline.kind(slice)))];
      node.kernel_class = timeline.device_ops.kernel_class[ops[i]];
      ++node.count;
      node.self += static_cast<double>(timeline.slices.duration[slice]);
    }
  }
  tree.add_up();
  return tree;
}

FlameTree fold_idle_time(const SessionFacts& facts, StepFrames steps) {
  FlameTree tree;
  HostFolder folder(tree, steps);
  const auto other = static_cast<uint8_t>(SliceKind::other);
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    const Timeline& whole = ops_in_whole(facts.session(), run, {}).timeline;
    folder.enter(whole);
    for (const auto& [device, ops] : ops_by_device(facts.run(run).timeline)) {
      facts.idle().for_each_gap(run, ops, [&](const IdleGap&, const std::vector<IdlePart>& parts) {
        for (const IdlePart& part : parts) {
          uint32_t at = part.host == kNone ? FlameTree::kRoot : folder.node_of(part.host);
          if (part.culprit == kNone) {
            at = tree.child(at, tree.name(text_of(part.reason)), other);
          } else if (part.culprit != part.host) {
            at = tree.child(at, tree.name(whole.name(part.culprit)), static_cast<uint8_t>(whole.kind(part.culprit)));
          }
          FlameTree::Node& cause = tree.nodes[tree.child(at, tree.name(text_of(part.cause)), other)];
          ++cause.count;
          cause.self += static_cast<double>(part.time.end - part.time.begin);
        }
      });
    }
  }
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
      turned.nodes[at].kernel_class = tree.nodes[from].kernel_class;
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
      FlameTree::Node rest{here.as, other, static_cast<uint8_t>(SliceKind::other), FlameTree::kNoClass, 0, 0, 0};
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
