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

inline SliceForest op_forest(const Timeline& timeline) {
  const auto is_op = [&](SliceIndex slice) {
    return is_framework_op(timeline.kind(slice)) && is_plausible(timeline, slice);
  };
  return {nearest_above(timeline.slices, is_op), is_op};
}

}  // namespace cgpu
