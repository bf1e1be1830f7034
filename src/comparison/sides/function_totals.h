// The functions of a call tree as a tree of two levels, to compare functions over all of their callers.
//
// Below the root is each function, with what function_sums.h says that it costs: exclusive values add up to the
// root of the call tree, inclusive ones overlap.
#pragma once

#include "analysis/call_tree/call_functions.h"
#include "analysis/call_tree/function_sums.h"
#include "model/call_tree.h"

namespace cgpu {

class FunctionTotals {
 public:
  /// `tree` must outlive it.
  explicit FunctionTotals(const CallTree& tree);

  /// Names and nodes, without metrics.
  const CallTree& functions() const { return functions_; }
  /// By node of functions().
  FunctionSums sums(MetricIndex metric) const { return sums_of(tree_, of_tree_, one_group_each(of_tree_), metric); }

 private:
  const CallTree& tree_;
  CallFunctions of_tree_;
  CallTree functions_;
};

}  // namespace cgpu
