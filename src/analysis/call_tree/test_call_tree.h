// For tests: a call tree with the cost of each node.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// A call tree that a test writes down: every node with its own cost.
class TestTree {
 public:
  TestTree() {
    tree_.metrics.resize(1);
    tree_.metrics[0].name = "TIME";
    tree_.metrics[0].unit = "sec";
    tree_.main_metric = 0;
    add(kNoNode, NodeKind::root, "<root>", 0);
  }

  NodeIndex add(NodeIndex parent, NodeKind kind, const std::string& name, double own, uint32_t line = 0) {
    CallNodes& nodes = tree_.nodes;
    nodes.parent.push_back(parent);
    nodes.kind.push_back(kind);
    nodes.relation.push_back(NodeRelation::call);
    nodes.name.push_back(tree_.names.intern(name));
    nodes.file.push_back(0);
    nodes.module.push_back(0);
    nodes.line.push_back(line);
    own_.push_back(own);
    return nodes.size() - 1;
  }
  NodeIndex call(NodeIndex parent, const std::string& name, double own) {
    return add(parent, NodeKind::function, name, own);
  }

  /// A session with the tree, its inclusive values filled in.
  Session session() {
    std::vector<double> inclusive = own_;
    for (NodeIndex node = tree_.nodes.size(); node-- > 1;) inclusive[tree_.nodes.parent[node]] += inclusive[node];
    for (NodeIndex node = 0; node < inclusive.size(); ++node) {
      tree_.metrics[0].node.push_back(node);
      tree_.metrics[0].value.push_back(inclusive[node]);
    }
    Session session;
    session.runs.emplace_back();
    session.runs[0].call_tree = std::move(tree_);
    return session;
  }
  CallTree& tree() { return tree_; }

 private:
  CallTree tree_;
  std::vector<double> own_;
};

}  // namespace cgpu
