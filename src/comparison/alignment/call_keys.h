// Keys that identify a call among its siblings, by which the nodes of two call trees are matched.
//
// The order of siblings says nothing in a call tree, and line numbers move when a source is edited. What a line or loop
// calls tells more about it than its number; so each has a key of the functions that it calls. O(nodes).
#pragma once

#include <cstdint>
#include <vector>

#include "comparison/alignment/labels.h"
#include "model/call_tree.h"

namespace cgpu {

/// Keys of one node; equal numbers are equal things, 0 is none. They do not depend on the order of siblings.
struct CallKeys {
  uint64_t exact = 0;     // kind, name without addresses, file, and the lines where it is and where it is called
  uint64_t name = 0;      // kind, name and file
  uint64_t function = 0;  // of a function its name without file and binary, as written
  uint64_t common = 0;    // kind and the name without numbers and addresses (labels.h)
  uint64_t callees = 0;   // of what is inside a function, the names of the functions that it calls
  uint64_t children = 0;  // the names of all children
  uint64_t subtree = 0;   // all that is below, with values
};

/// By node; `inclusive` are the values of a metric, by node.
std::vector<CallKeys> call_keys(const CallTree& tree, const std::vector<double>& inclusive, Labels& labels);

}  // namespace cgpu
