// What the lines of one source file cost: a metric of the call tree, by line.
//
// O(nodes + values of the metric), and a walk to the root for each node of the file.
#pragma once

#include <cstdint>
#include <vector>

#include "model/call_tree.h"

namespace cgpu {

struct LineCost {
  uint32_t line = 0;
  /// Here and below: in the line, the loop that begins there, and all that is called from there. A place within
  /// another one of the same line (of a recursion, say) counts once.
  double inclusive = 0;
  double exclusive = 0;  // here
};

/// The lines of a file that cost anything, in ascending order. Functions are at the lines that call them.
std::vector<LineCost> line_costs(const CallTree& tree, MetricIndex metric, StringId file);

}  // namespace cgpu
