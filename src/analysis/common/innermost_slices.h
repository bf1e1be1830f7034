// The innermost slice of a host thread at each moment of a time.
#pragma once

#include <algorithm>
#include <span>

#include "base/interval_set.h"
#include "links/nesting.h"
#include "model/timeline.h"

namespace cgpu {

/// The host slices of the run are put in order once, O(n) where they come sorted. A time then costs O(log m) and the
/// slices in it. The timeline, of a completed run, must outlive this.
class InnermostSlices {
 public:
  explicit InnermostSlices(const Timeline& timeline) : timeline_(timeline), threads_(timeline) {}

  /// The host slices of a thread, outer ones first.
  std::span<const SliceIndex> of(TrackIndex thread) const { return threads_.of(thread); }

  /// Calls visit(time, slice) for the innermost slice at each moment of `time`, in order; kNone where there is none.
  template <typename Visit>
  void for_each(TrackIndex thread, Interval time, Visit visit) const {
    const Slices& slices = timeline_.slices;
    const std::span<const SliceIndex> own = threads_.of(thread);
    auto next = std::partition_point(own.begin(), own.end(),
                                     [&](SliceIndex slice) { return slices.start[slice] <= time.begin; });
    int64_t now = time.begin;
    SliceIndex innermost = next == own.begin() ? kNone : active_at(*(next - 1), now);
    while (now < time.end) {
      const int64_t until = next == own.end() ? time.end : std::min(time.end, slices.start[*next]);
      while (now < until) {
        const int64_t end = innermost == kNone ? until : std::min(until, slices.end(innermost));
        visit(Interval{now, end}, innermost);
        now = end;
        innermost = innermost == kNone ? kNone : active_at(innermost, now);
      }
      for (; next != own.end() && slices.start[*next] == now; ++next) innermost = active_at(*next, now);
    }
  }

 private:
  /// The innermost slice that is active then among `slice`, which has begun, and those of its thread before it.
  SliceIndex active_at(SliceIndex slice, int64_t time) const;

  const Timeline& timeline_;
  HostSlicesOuterFirst threads_;
};

}  // namespace cgpu
