// How some of the slices nest, the others skipped: for sums over subtrees in one walk, whatever the depth.
//
// 12 bytes a slice of the timeline, O(n).
#pragma once

#include <utility>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

class SliceForest {
 public:
  /// `above`: for each slice of the timeline the innermost wanted slice around it, or kNone (nearest_above); following
  /// it from any slice must end.
  template <typename IsWanted>
  SliceForest(std::vector<SliceIndex> above, IsWanted is_wanted)
      : above_(std::move(above)), first_child_(above_.size(), kNone), next_sibling_(above_.size(), kNone) {
    for (SliceIndex slice = static_cast<SliceIndex>(above_.size()); slice-- > 0;) {
      if (!is_wanted(slice)) continue;
      SliceIndex& first = above_[slice] == kNone ? first_root_ : first_child_[above_[slice]];
      next_sibling_[slice] = first;
      first = slice;
    }
  }

  /// The innermost wanted slice around a slice, or kNone.
  SliceIndex above(SliceIndex slice) const { return above_[slice]; }

  /// Depth first: enter(slice), its children, leave(slice).
  template <typename Enter, typename Leave>
  void walk(Enter enter, Leave leave) const {
    walk_siblings(first_root_, kNone, enter, leave);
  }
  /// The same of the wanted slices inside a wanted slice, without itself.
  template <typename Enter, typename Leave>
  void walk_inside(SliceIndex slice, Enter enter, Leave leave) const {
    walk_siblings(first_child_[slice], slice, enter, leave);
  }

 private:
  /// `first` and the wanted slices after it that have the same one around them, `around`, with all inside them.
  template <typename Enter, typename Leave>
  void walk_siblings(SliceIndex first, SliceIndex around, Enter enter, Leave leave) const {
    for (SliceIndex at = first; at != kNone;) {
      enter(at);
      if (first_child_[at] != kNone) {
        at = first_child_[at];
        continue;
      }
      leave(at);
      while (next_sibling_[at] == kNone && above_[at] != around) {
        at = above_[at];
        leave(at);
      }
      at = next_sibling_[at];
    }
  }

  std::vector<SliceIndex> above_;
  std::vector<SliceIndex> first_child_;
  std::vector<SliceIndex> next_sibling_;
  SliceIndex first_root_ = kNone;
};

}  // namespace cgpu
