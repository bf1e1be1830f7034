// A host thread as a row of parts without gaps: the time that each slice has by itself, between the slices inside it,
// and what lies outside of all. O(n log n) in the slices of the thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

struct HostPart {
  SliceIndex slice = kNone;   // the innermost one of those that were given; kNone outside of all
  SliceIndex caller = kNone;  // the one around it
  bool first = false;         // of the slice, which has exactly one such part, if only of no length
  int64_t begin = 0;          // ns on the run's clock
  int64_t end = 0;
};

/// The parts from `begin` to `end`, in order. `slices`: of one thread; where two overlap without nesting, the outer one
/// ends the inner one. No part contains one of `cuts`, which ascend, but as its begin or end.
std::vector<HostPart> host_parts(const Timeline& timeline, std::vector<SliceIndex> slices,
                                 std::span<const int64_t> cuts, int64_t begin, int64_t end);

}  // namespace cgpu
