// Time at the edges of a profile: what devices do before the first work that was launched after the recording began,
// and beyond what is recorded of the host (docs/definitions/idle.md, "idle").
//
// O(n) in the slices and device ops once; then O(1) a question.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interval_set.h"
#include "base/once.h"
#include "model/timeline.h"

namespace cgpu {

class ProfileEdges {
 public:
  explicit ProfileEdges(const Timeline& timeline);

  /// Until when a stream was, as far as its own ops show, at work that was launched before the recording began;
  /// INT64_MIN where there is no evidence of such.
  int64_t earlier_work_until(TrackIndex stream) const { return until_[stream]; }

  /// Whether a wait of a device for this op, for what the profile does not show, is due to an edge: the stream is still
  /// at work from before the recording; or the launch of the op is not in the profile, and nothing of the host is
  /// recorded before the wait is over or after it begins.
  bool holds(Interval wait, SliceIndex op) const;

 private:
  const Timeline& timeline_;
  std::vector<int64_t> until_;       // by track
  mutable Once<Interval> recorded_;  // of the host; computed on first use
};

}  // namespace cgpu
