// Two stack trees as one: frames that are the same on both sides, by their path, are one frame with what each side has
// there.
//
// Frames are paired level by level as sets (set_pairing.h) by their names, then by names without what differs from run
// to run (labels.h), then device ops by their class; by these two only where each side has one left. A frame that one
// side alone has anywhere is transparent where the other side has what it calls in its place (a wrapper around other
// ops): what is below it is in its place, and what it costs itself counts as its caller's.
//
// On each side the roots add up to the total of its tree, and so does what all frames cost themselves. O(frames).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/call_tree/stack_tree.h"
#include "comparison/alignment/alignment.h"

namespace cgpu {

struct StackDifference {
  struct Node {
    uint32_t parent = StackTree::kRoot;
    uint32_t name = 0;                            // into names: what to call it
    PerSide<uint32_t> own_name = {kNone, kNone};  // what a side calls it; kNone where it has none
    uint8_t kind = 0;                             // these two of A, where A has it
    uint8_t kernel_class = StackTree::kNoClass;
    PerSide<uint64_t> count = {};
    PerSide<double> self = {};
    PerSide<double> value = {};  // 0 where a side does not have it
  };

  std::vector<Node> nodes;  // parents before their children
  std::vector<std::string> names;
  PerSide<double> total = {};
};

/// Of trees that are added up.
StackDifference difference_of(const PerSide<StackTree>& trees);
/// From callees to callers: each function by what it costs itself, split over its callers. O(frames x depth).
StackDifference inverted(const StackDifference& difference);
/// In pre-order, children by falling value of the side that has more; frames whose values are both below `share` of
/// the larger total are added up in "(other)" of their parent.
StackDifference pruned(const StackDifference& difference, double share);

}  // namespace cgpu
