// The functions of a call tree: which node belongs to which, who calls whom, and where recursion begins.
//
// A function is a name, a file, a line and a module. Everything in its body (loops, lines, instructions) belongs to it.
// What lies above any function (the root, a thread's start) is kept as if it were one, so that sums are complete.
// O(nodes).
#pragma once

#include <cstdint>
#include <vector>

#include "model/call_tree.h"

namespace cgpu {

using FunctionIndex = uint32_t;
inline constexpr FunctionIndex kNoFunction = UINT32_MAX;

struct CallFunctions {
  std::vector<NodeIndex> example;       // a node of each function, for its name and place
  std::vector<FunctionIndex> function;  // of each node: whose body it is in
  std::vector<FunctionIndex> caller;    // of each node that is a function: the function above; kNoFunction for others
  std::vector<bool> outermost;          // of each node that is a function: no node of the same function above it

  bool is_function(const CallTree& tree, NodeIndex node) const { return tree.nodes.kind[node] <= NodeKind::function; }
};

CallFunctions functions_of(const CallTree& tree);

}  // namespace cgpu
