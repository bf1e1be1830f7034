// Which thread of its process a host thread waits for, when it waits for another one to say something.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/common/innermost_slices.h"
#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

/// Slices in which a thread waits until another thread says something (a condition, a queue, a barrier, a semaphore; in
/// a lock it waits until that is free). Each distinct name is looked at once.
class ThreadWaits {
 public:
  /// The timeline must outlive it.
  explicit ThreadWaits(const Timeline& timeline) : timeline_(timeline), answers_(timeline.names.size(), -1) {}

  /// Whether this slice, or one around it, is such a wait. O(depth).
  bool contain(SliceIndex slice);

 private:
  const Timeline& timeline_;
  std::vector<int8_t> answers_;  // by name; negative where it was not asked for
};

class AwaitedThreads {
 public:
  /// The timeline must outlive it. O(n log n).
  explicit AwaitedThreads(const Timeline& timeline);

  /// The thread that was at work during a wait of another one of its process and did something as the wait ended: of
  /// several the one that waited least itself; none where all waited for a fifth of it or more. O(threads log n), none
  /// of a process with more than 64 threads.
  std::optional<TrackIndex> of(TrackIndex thread, Interval wait);

  const InnermostSlices& innermost() const { return innermost_; }

 private:
  /// ns of `time` that a thread sleeps or waits, but for a device: that is what the other one then waits for.
  int64_t waited(TrackIndex thread, Interval time);
  /// Whether a slice of the thread begins or ends about then.
  bool does_something_at(TrackIndex thread, int64_t time) const;
  bool is_wait(SliceIndex slice);

  const Timeline& timeline_;
  InnermostSlices innermost_;
  std::map<std::string, std::vector<TrackIndex>> threads_;  // with slices, by process
  std::vector<int8_t> is_wait_;                             // by name; negative where it was not asked for
};

}  // namespace cgpu
