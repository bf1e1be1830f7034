// How the framework ops of a run nest, with annotations, Python frames and calls between them skipped.
//
// 12 bytes a slice, O(slices) to make and to walk, whatever the depth of the nesting.
#pragma once

#include "analysis/common/nesting.h"
#include "analysis/common/slice_forest.h"
#include "analysis/device/device_ops.h"

namespace cgpu {

inline bool is_framework_op(SliceKind kind) {
  return kind == SliceKind::framework_op;
}

/// Whether a slice is a framework op that counts.
inline bool is_op(const Timeline& timeline, SliceIndex slice) {
  return is_framework_op(timeline.kind(slice)) && is_plausible(timeline, slice);
}

/// For each slice the innermost framework op around it, or kNone. O(n).
inline std::vector<SliceIndex> ops_above(const Timeline& timeline) {
  return nearest_above(timeline.slices, [&](SliceIndex slice) { return is_op(timeline, slice); });
}

inline SliceForest op_forest(const Timeline& timeline) {
  return {ops_above(timeline), [&](SliceIndex slice) { return is_op(timeline, slice); }};
}

}  // namespace cgpu
