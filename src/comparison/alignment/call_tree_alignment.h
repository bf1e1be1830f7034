// Aligns the call paths of two trees.
//
// Nodes are paired level by level as sets (set_pairing.h), by keys (call_keys.h) from the most exact to the roughest:
// the same subtree with the same values; the same name, file and line; a line or loop that calls the same functions;
// the same name in another file; a name without numbers, where it is the only one of its kind that is left. Among
// several of one key, what is on an earlier line, then what takes more, finds its partner first: the order of
// siblings means nothing.
//
// What is left on both sides is transparent, so that the functions below can be matched: lines, loops and instructions,
// and functions that only one side has (stubs, wrappers, what is inlined or has another name on the other side). Those
// that take something themselves are so only where half or more of what they call has a partner; each of them is shown
// next to what it calls, with what it takes itself. Lines, loops or instructions of a tree are transparent, too, where
// the other one has none of that kind at all. What they take themselves counts as their function's. Below a placeholder
// for a kernel whose function one side does not know, that of the other side counts as the kernel. Exclusive values
// therefore add up to the root's inclusive value on each side. O(nodes x depth).
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <unordered_set>
#include <vector>

#include "comparison/alignment/alignment.h"
#include "comparison/alignment/call_keys.h"
#include "comparison/alignment/labels.h"
#include "comparison/sides/function_totals.h"
#include "model/call_tree.h"

namespace cgpu {

/// One call tree with the values of a metric, absent ones as 0. What it is made of must outlive it.
struct TreeSide {
  const CallTree* tree = nullptr;
  std::vector<CallKeys> keys;                 // by node
  std::unordered_set<uint64_t> common_names;  // CallKeys::common of all nodes
  std::array<bool, 256> has_kind = {};        // by NodeKind
  std::vector<std::vector<NodeIndex>> children;
  std::vector<double> inclusive;
  std::vector<double> exclusive;
  std::vector<double> own;  // exclusive values of a node and of the lines, loops and instructions in it
  /// What a sample adds to the metric that counts them: to this one, else to the metric `samples`; absent where neither
  /// does (sample_counts.h). By node, 0 where it is absent:
  std::optional<double> sample_value = {};
  std::vector<double> inclusive_samples;
  std::vector<double> exclusive_samples;
  std::vector<double> own_samples;  // as `own`

  /// With `totals`, those of the call tree, the side has its functions instead of its call paths. `factor`: of the
  /// values, which the other side has in another unit (unit_ratio).
  TreeSide(const CallTree& call_tree, MetricIndex metric, Labels& all_labels, const FunctionTotals* totals = nullptr,
           double factor = 1);
};

/// A node that both trees have, or one of them. Of a transparent function `inclusive` is what it takes itself.
struct AlignedCall {
  std::optional<NodeIndex> a;
  std::optional<NodeIndex> b;
  bool own_only = false;  // of such a function
  size_t depth = 0;
  PerSide<double> inclusive;
  PerSide<double> exclusive;
  PerSide<double> inclusive_samples;
  PerSide<double> exclusive_samples;
};

class CallTreeAlignment {
 public:
  /// Both must outlive it.
  CallTreeAlignment(const TreeSide& a, const TreeSide& b) : sides_{&a, &b} {}

  /// Visits all, parents before children, what changed most first.
  void walk(const std::function<void(const AlignedCall&)>& visit) const;

 private:
  struct Pair {
    std::optional<NodeIndex> a;
    std::optional<NodeIndex> b;
    bool own_only = false;  // of a transparent function what it takes itself
  };
  /// A node, and the one that is at the level looked at: the node itself, or a transparent one above it.
  struct Reached {
    NodeIndex node;
    NodeIndex from;
  };
  using Lists = PerSide<std::vector<NodeIndex>>;

  bool is_unknown_kernel(const Pair& pair) const;
  /// Adds the children of a node, and the exclusive values of transparent nodes to those of `call`.
  void append_children(Side side, NodeIndex node, std::vector<NodeIndex>& list, AlignedCall& call) const;
  /// Adds a node's own values to those of its caller.
  void add_own(Side side, NodeIndex node, AlignedCall& call) const;
  /// The pairs among nodes; those without a partner are added to `alone`.
  std::vector<Pair> matched(Lists nodes, Lists& alone) const;
  std::vector<Pair> paired(Lists children, AlignedCall& call) const;
  /// Pairs, of nodes of one side each, what is reached from them; what leads to no pair stays as it is.
  void pair_below(const Lists& alone, std::vector<Pair>& pairs, AlignedCall& call) const;
  /// Those of `matched(reached)` that may be paired: in each transparent node with functions that take something
  /// themselves half or more of what these call has a partner. `from`: of what is reached.
  std::vector<Pair> supported(std::vector<Pair> pairs, const PerSide<std::unordered_map<NodeIndex, NodeIndex>>& from,
                              Lists& left) const;
  bool is_passed(Side side, NodeIndex node) const;
  bool takes_time_itself(Side side, NodeIndex node) const;
  /// What transparent functions from here on take themselves.
  double passed_own(Side side, NodeIndex node) const;
  /// `in_own`: whether it lies in a transparent function that takes something itself.
  void append_reached(Side side, Reached reached, bool in_own, std::vector<Reached>& list) const;
  /// Adds what a transparent node and those below it take themselves: of functions as pairs, of all else to the caller
  /// (null where a function has it already).
  void add_passed(Side side, NodeIndex node, std::vector<Pair>& pairs, AlignedCall* caller) const;
  double change_of(const Pair& pair) const;
  /// Whether the first comes later in what is visited.
  bool is_visited_after(const Pair& x, const Pair& y) const;

  PerSide<const TreeSide*> sides_;
};

}  // namespace cgpu
