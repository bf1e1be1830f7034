// For tests: a run whose slices are samples of a random call tree, with gaps, empty samples and unknown places.
#pragma once

#include <memory>
#include <random>
#include <string>

#include "analysis/test_timeline.h"
#include "model/call_tree.h"

namespace cgpu::test {

/// The source of a slice is the number of its node; other numbers are unknown places.
class NumberedNodes : public SampledNodes {
 public:
  explicit NumberedNodes(NodeIndex count) : count_(count) {}
  NodeIndex node_of(uint64_t source) const override {
    return source < count_ ? static_cast<NodeIndex>(source) : kNoNode;
  }

 private:
  NodeIndex count_;
};

inline NodeIndex add_node(CallTree& tree, NodeIndex parent, NodeKind kind, const std::string& name) {
  CallNodes& nodes = tree.nodes;
  nodes.parent.push_back(parent);
  nodes.kind.push_back(kind);
  nodes.relation.push_back(NodeRelation::call);
  nodes.name.push_back(name.empty() ? 0 : tree.names.intern(name));
  nodes.file.push_back(tree.names.intern("/src/program.c"));
  nodes.module.push_back(tree.names.intern("program"));
  nodes.line.push_back(nodes.size());
  return nodes.size() - 1;
}

inline void add_sample(TestRun& test, int64_t start, int64_t duration, uint64_t node, const std::string& thread = "1") {
  const SliceIndex slice = test.host(SliceKind::other, "sample", start, duration, kNone, thread);
  test.run.timeline.slices.source[slice] = node;
  test.run.timeline.tracks[test.run.timeline.slices.track[slice]].sampled = true;
}

/// Nodes of all kinds, the deeper the smaller `branching`; `samples` on one thread.
inline TestRun sampled_run(unsigned seed, NodeIndex nodes, uint32_t branching, int samples) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  TestRun test;
  CallTree& tree = test.run.call_tree.emplace();
  add_node(tree, kNoNode, NodeKind::root, "");
  while (tree.nodes.size() < nodes) {
    const NodeIndex from = tree.nodes.size() - 1 - below(std::min(branching, tree.nodes.size()));
    constexpr NodeKind kKinds[] = {NodeKind::function, NodeKind::function, NodeKind::entry,
                                   NodeKind::loop,     NodeKind::line,     NodeKind::instruction};
    const NodeKind kind = kKinds[below(6)];
    const bool named = kind == NodeKind::function || kind == NodeKind::entry;
    add_node(tree, from, kind, named ? "f" + std::to_string(below(9)) : "");
  }
  tree.sampled_nodes = std::make_shared<NumberedNodes>(nodes);
  int64_t time = below(50);
  for (int i = 0; i < samples; ++i) {
    const auto duration = int64_t{below(4) == 0 ? 0 : below(20)};
    add_sample(test, time, duration, below(8) == 0 ? nodes + 1 : below(nodes));
    time += duration + int64_t{below(3) == 0 ? below(10) : 0};
  }
  return test;
}

}  // namespace cgpu::test
