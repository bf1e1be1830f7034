// The functions of a call tree as a tree of two levels, to compare functions whatever they are called from.
//
// Below the root stands each function (call_functions.h). Its inclusive value is that of its outermost calls, so that
// recursion counts once; its exclusive value is that of all its calls and of the lines and loops in them. Exclusive
// values add up to the root of the call tree; inclusive ones overlap. O(nodes).
#pragma once

#include <vector>

#include "analysis/call_tree/call_functions.h"
#include "model/call_tree.h"

namespace cgpu {

class FunctionTotals {
 public:
  explicit FunctionTotals(const CallTree& tree);

  /// Names and nodes, without metrics.
  const CallTree& functions() const { return functions_; }
  /// Of values by node of the call tree those by function, absent where all are.
  std::vector<double> inclusive(const std::vector<double>& of_nodes) const;
  std::vector<double> exclusive(const std::vector<double>& of_nodes) const;

 private:
  template <typename IsCounted>
  std::vector<double> sums(const std::vector<double>& of_nodes, IsCounted is_counted) const;

  CallFunctions of_tree_;
  CallTree functions_;
};

}  // namespace cgpu
