// Walking the nesting of host slices from the outside in.
#pragma once

#include <vector>

#include "model/timeline.h"

namespace cgpu {

/// Calls visit(slice) once for every slice, for a parent before its children (which may be in either order in the
/// file). O(n).
template <typename Visit>
void for_each_outside_in(const Slices& slices, Visit visit) {
  std::vector<bool> reached(slices.size());
  std::vector<SliceIndex> chain;  // from a slice up to the first one that was visited before
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    for (SliceIndex above = slice; above != kNone && !reached[above]; above = slices.parent[above]) {
      reached[above] = true;
      chain.push_back(above);
    }
    for (; !chain.empty(); chain.pop_back()) visit(chain.back());
  }
}

/// For each slice the innermost of the slices around it that `is_wanted`, or kNone. Python frames can nest a hundred
/// deep, ops and annotations do not: with this, looking up from every launch is cheap. O(n).
template <typename IsWanted>
std::vector<SliceIndex> nearest_above(const Slices& slices, IsWanted is_wanted) {
  std::vector<SliceIndex> above(slices.size(), kNone);
  for_each_outside_in(slices, [&](SliceIndex slice) {
    const SliceIndex parent = slices.parent[slice];
    if (parent != kNone) above[slice] = is_wanted(parent) ? parent : above[parent];
  });
  return above;
}

}  // namespace cgpu
