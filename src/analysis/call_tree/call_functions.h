// The functions of a call tree: which function each node belongs to, who calls whom, and where recursion begins.
//
// Nodes are of one function where name, file, line and module are equal. What is in the body of a function (loops,
// lines, instructions) belongs to it. The root and the starts of threads count as functions, so that every node belongs
// to one and sums are complete. O(nodes log functions).
#pragma once

#include <cstdint>
#include <vector>

#include "model/call_tree.h"

namespace cgpu {

using FunctionIndex = uint32_t;
inline constexpr FunctionIndex kNoFunction = UINT32_MAX;

struct CallFunctions {
  std::vector<NodeIndex> example;  // by function: its first node, for its name and place

  // By node. A node that is no function itself has kNoFunction as caller and is never outermost.
  std::vector<FunctionIndex> function;  // to which it belongs
  std::vector<FunctionIndex> caller;    // the function of the node above; kNoFunction for the root
  std::vector<bool> outermost;          // no node of the same function is above it

  /// Whether the node is a function itself (or the root, or the start of a thread), not a part of a body.
  bool is_function(const CallTree& tree, NodeIndex node) const { return !is_inside_function(tree.nodes.kind[node]); }
};

CallFunctions functions_of(const CallTree& tree);

}  // namespace cgpu
