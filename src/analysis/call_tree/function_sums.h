// What the functions of a call tree cost, each over all of its nodes. O(nodes) a measured metric.
//
// The inclusive cost of a function is the sum over its outermost nodes only, so that recursion counts once. Its
// exclusive cost is the sum over all of its nodes; the exclusive costs of all functions add up to the whole program. A
// computed metric is computed from such sums of its parts.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/call_tree/call_functions.h"
#include "model/call_tree.h"

namespace cgpu {

/// How the nodes of a tree fall into groups, as a rule one for each function.
struct FunctionGroups {
  size_t groups = 0;
  std::vector<size_t> of;  // of each node: that of the function whose body it is in
};
/// A group for each function.
FunctionGroups one_group_each(const CallFunctions& functions);

/// By group; absent where no node has a value.
struct FunctionSums {
  std::vector<double> inclusive;
  std::vector<double> exclusive;
};
FunctionSums sums_of(const CallTree& tree, const CallFunctions& functions, const FunctionGroups& grouping,
                     MetricIndex metric);

}  // namespace cgpu
