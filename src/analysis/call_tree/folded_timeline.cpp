#include "analysis/call_tree/folded_timeline.h"

#include <charconv>
#include <optional>
#include <utility>

#include "analysis/common/merged_names.h"
#include "analysis/host/module_calls.h"

namespace cgpu {

namespace {

NodeKind node_kind(SliceKind kind, std::string_view name) {
  if (module_of_slice(kind, name)) return NodeKind::module;
  if (is_device_op(kind)) return NodeKind::device_op;
  if (is_call(kind) || kind == SliceKind::os_call) return NodeKind::call;
  switch (kind) {
    case SliceKind::python_function:
      return NodeKind::frame;
    case SliceKind::framework_op:
      return NodeKind::op;
    case SliceKind::annotation:
      return NodeKind::range;
    default:
      return NodeKind::entry;  // a thread, or what stands for an unknown launch
  }
}

/// The columns of a folded timeline out of those of a tree.
FoldedTimeline columns_of(StackTree tree, std::vector<int64_t> cpu_ns, std::vector<int64_t> device_ns) {
  FoldedTimeline folded;
  const size_t nodes = tree.nodes.size();
  for (const StackTree::Node& node : tree.nodes) {
    folded.parent.push_back(node.parent);
    folded.name.push_back(node.name);
    folded.kind.push_back(node_kind(static_cast<SliceKind>(node.kind), tree.names[node.name]));
    folded.count.push_back(static_cast<int64_t>(node.count));
  }
  cpu_ns.resize(nodes);
  device_ns.resize(nodes);
  folded.cpu_ns = std::move(cpu_ns);
  folded.device_ns = std::move(device_ns);
  folded.names = std::move(tree.names);
  return folded;
}

/// "train.py(27): step" is in line 27 of train.py.
struct FramePlace {
  std::string_view file;
  uint32_t line = 0;
};
std::optional<FramePlace> place_of(std::string_view frame) {
  const size_t close = frame.find("): ");
  const size_t open = close == std::string_view::npos ? close : frame.rfind('(', close);
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  FramePlace place{frame.substr(0, open)};
  const auto [end, error] = std::from_chars(frame.data() + open + 1, frame.data() + close, place.line);
  if (error != std::errc() || end != frame.data() + close) return std::nullopt;
  return place;
}

/// Adds a metric with what is measured at nodes by themselves; without any value it is left out.
void add_metric(CallTree& tree, Metric metric, const std::vector<int64_t>& own) {
  std::vector<int64_t> sum(own.size() + 1, 0);
  for (size_t i = own.size(); i-- > 0;) {
    sum[i + 1] += own[i];
    sum[tree.nodes.parent[i + 1]] += sum[i + 1];
  }
  for (NodeIndex node = 0; node < sum.size(); ++node) {
    if (sum[node] == 0) continue;
    metric.node.push_back(node);
    metric.value.push_back(static_cast<double>(sum[node]));
  }
  metric.rounding = 0;
  if (metric.node.empty()) return;
  if (!tree.main_metric) tree.main_metric = static_cast<MetricIndex>(tree.metrics.size());
  tree.metrics.push_back(std::move(metric));
}

Metric metric_of(std::string name, std::string unit, std::string about) {
  Metric metric;
  metric.name = std::move(name);
  metric.unit = std::move(unit);
  metric.about = std::move(about);
  return metric;
}

}  // namespace

bool FoldedTimeline::is_sound() const {
  const size_t size = parent.size();
  if (name.size() != size || kind.size() != size) return false;
  if (cpu_ns.size() != size || device_ns.size() != size || count.size() != size) return false;
  for (uint32_t i = 0; i < size; ++i) {
    const bool below = parent[i] == StackTree::kRoot || parent[i] < i;
    if (!below || name[i] >= names.size() || kind[i] > NodeKind::device_op) return false;
  }
  return true;
}

FoldedTimeline fold_timeline(const Session& session, size_t run, ThreadFrames threads) {
  const Timeline& timeline = session.runs[run].timeline;
  StackTree tree;
  StackFolder folder(tree, StepFrames::merged, threads);
  std::vector<int64_t> cpu_ns;
  std::vector<int64_t> device_ns;
  folder.fold_host(
      timeline, [&](uint32_t node, SliceIndex) { ++tree.nodes[node].count; },
      [&](uint32_t node, int64_t ns) { entry(cpu_ns, node) += ns; });
  folder.fold_device(session, run, [&](uint32_t node, SliceIndex slice) {
    ++tree.nodes[node].count;
    entry(device_ns, node) += timeline.slices.duration[slice];
  });
  return columns_of(std::move(tree), std::move(cpu_ns), std::move(device_ns));
}

FoldedTimeline merged(const std::vector<const FoldedTimeline*>& several) {
  StackTree tree;
  FoldedTimeline all;
  for (const FoldedTimeline* folded : several) {
    std::vector<uint32_t> node_of;
    for (size_t i = 0; i < folded->parent.size(); ++i) {
      const uint32_t above = folded->parent[i] == StackTree::kRoot ? StackTree::kRoot : node_of[folded->parent[i]];
      const uint32_t node = tree.child(above, tree.name(folded->names[folded->name[i]]), 0);
      node_of.push_back(node);
      if (node == all.parent.size()) {
        all.parent.push_back(above);
        all.name.push_back(tree.nodes[node].name);
        all.kind.push_back(folded->kind[i]);
      }
      entry(all.cpu_ns, node) += folded->cpu_ns[i];
      entry(all.device_ns, node) += folded->device_ns[i];
      entry(all.count, node) += folded->count[i];
    }
  }
  all.names = std::move(tree.names);
  return all;
}

CallTree call_tree_of(const FoldedTimeline& folded) {
  CallTree tree;
  CallNodes& nodes = tree.nodes;
  const auto add = [&](NodeIndex parent, NodeKind kind, StringId name) {
    nodes.parent.push_back(parent);
    nodes.kind.push_back(kind);
    nodes.relation.push_back(NodeRelation::call);
    nodes.name.push_back(name);
    nodes.file.push_back(0);
    nodes.module.push_back(0);
    nodes.line.push_back(0);
  };
  add(kNoNode, NodeKind::root, 0);
  for (uint32_t i = 0; i < folded.parent.size(); ++i) {
    const bool is_root = folded.parent[i] == StackTree::kRoot;
    const std::string& name = folded.names[folded.name[i]];
    add(is_root ? 0 : folded.parent[i] + 1, folded.kind[i], tree.names.intern(name.empty() ? "<no name>" : name));
    if (folded.kind[i] != NodeKind::frame) continue;
    if (const auto place = place_of(name)) {
      nodes.file.back() = tree.names.intern(place->file);
      nodes.line.back() = place->line;
    }
  }
  add_metric(tree, metric_of("device_time", "ns", "durations of the device ops that were launched"), folded.device_ns);
  add_metric(tree, metric_of("cpu_time", "ns", "time on threads of the host"), folded.cpu_ns);
  add_metric(tree, metric_of("count", "count", "slices of the host and device ops"), folded.count);
  return tree;
}

}  // namespace cgpu
