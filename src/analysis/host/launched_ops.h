// Which device ops a call launched: Slices::launch the other way round.
//
// 8 bytes an op whose launch is known, sorted once: O(n log n) in these.
#pragma once

#include <utility>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

class LaunchedOps {
 public:
  /// `timeline` is only read here.
  explicit LaunchedOps(const Timeline& timeline);

  /// The device ops that a call launched, in the order of their starts. O(log n) and the ops.
  std::vector<SliceIndex> of(SliceIndex call) const;

 private:
  std::vector<std::pair<SliceIndex, SliceIndex>> by_call_;  // call, op; sorted by call, then start of the op
};

}  // namespace cgpu
