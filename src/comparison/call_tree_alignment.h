// Which call path of one tree is which of another.
//
// Nodes are paired level by level by their names without numbers and addresses, then without the binary that they are
// in. Lines, loops and instructions that only one side has are looked through: what they call stands below their
// function, and their own values count as its own. So are functions that only one side has and that take nothing
// themselves (stubs, wrappers), where what they call stands in their place on the other side. Below a placeholder for a
// kernel of which one side does not know the function, that of the other side counts as the kernel. Exclusive values
// therefore add up to the root's inclusive value on each side. O(nodes x depth).
#pragma once

#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "comparison/alignment.h"
#include "comparison/labels.h"
#include "comparison/pairing.h"
#include "model/call_tree.h"

namespace cgpu {

/// One call tree with the values of a metric, absent ones as 0.
struct TreeSide {
  const CallTree* tree = nullptr;
  std::vector<Label> labels;        // by node
  std::vector<Label> functions;     // without the binary
  std::unordered_set<Label> known;  // all of both
  std::vector<std::vector<NodeIndex>> children;
  std::vector<double> inclusive;
  std::vector<double> exclusive;
  std::vector<double> own;  // exclusive values of a node and of the lines, loops and instructions in it
  /// What a sample adds to the metric that counts them: to this one, else to the metric `samples`; absent where neither
  /// does (sample_counts.h). By node, 0 where it is absent:
  std::optional<double> sample_value = {};
  std::vector<double> inclusive_samples;
  std::vector<double> exclusive_samples;

  TreeSide(const CallTree& call_tree, MetricIndex metric, Labels& all_labels);
};

/// A node that both trees have, or one of them.
struct AlignedCall {
  std::optional<NodeIndex> a;
  std::optional<NodeIndex> b;
  size_t depth = 0;
  OfSides<double> inclusive;
  OfSides<double> exclusive;
  OfSides<double> inclusive_samples;
  OfSides<double> exclusive_samples;
};

class CallTreeAlignment {
 public:
  /// All of these must outlive it.
  CallTreeAlignment(const TreeSide& a, const TreeSide& b, const Labels& labels) : sides_{&a, &b}, labels_(labels) {}

  /// Visits all, parents before children, what changed most first.
  void walk(const std::function<void(const AlignedCall&)>& visit) const;

 private:
  struct Pair {
    std::optional<NodeIndex> a;
    std::optional<NodeIndex> b;
  };
  /// A node, and the one that stands at the level looked at: the node itself, or one above that takes nothing.
  struct Reached {
    NodeIndex node;
    NodeIndex from;
  };
  bool is_unknown_kernel(const Pair& pair) const;
  Pairing pairing_of(const OfSides<std::vector<NodeIndex>>& nodes) const;
  void append_reached(Side side, Reached reached, std::vector<Reached>& list) const;
  /// Pairs, of nodes of one side each, what is reached from them; what leads to no pair stays as it is.
  std::vector<Pair> paired_below(const OfSides<std::vector<NodeIndex>>& alone) const;
  /// Adds the exclusive values of what is looked through to those of `call`.
  void append_children(Side side, NodeIndex node, std::vector<NodeIndex>& list, AlignedCall& call) const;
  std::vector<Pair> paired(const OfSides<std::vector<NodeIndex>>& children) const;
  double change_of(const Pair& pair) const;

  OfSides<const TreeSide*> sides_;
  const Labels& labels_;
};

}  // namespace cgpu
