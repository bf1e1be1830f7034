// Which thread of its process a host thread waits for, when it waits for another one to say something.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/common/asked_names.h"
#include "analysis/common/innermost_slices.h"
#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

/// Slices in which a thread waits until another thread says something (a condition, a queue, a barrier, a semaphore; in
/// a lock it waits until that is free).
class ThreadWaits {
 public:
  /// The timeline must outlive it.
  explicit ThreadWaits(const Timeline& timeline);

  /// Whether this slice, or one around it, is such a wait. O(depth).
  bool contain(SliceIndex slice);

 private:
  const Timeline& timeline_;
  AskedNames is_wait_;
};

class AwaitedThreads {
 public:
  /// The timeline must outlive it. O(n log n).
  explicit AwaitedThreads(const Timeline& timeline);

  /// The thread that was at work during a wait of another one of its process and let it go on: something that took half
  /// of the wait or more ended with it, or the thread itself began to wait then. Of several the one that did nothing
  /// for the least time; none where all did nothing, waited or slept for a fifth of it or more. Time in no slice is
  /// work of a thread that calls the GPU's runtime in the wait, else it is nothing. O(threads log n) and the slices of
  /// these threads in the wait; none of a process with more than 64 threads.
  std::optional<TrackIndex> of(TrackIndex thread, Interval wait);

  const InnermostSlices& innermost() const { return innermost_; }

 private:
  /// ns of `time` in which a thread does nothing, sleeps or waits, but for a device: that is what the other one then
  /// waits for.
  int64_t without_work(TrackIndex thread, Interval time);
  /// Whether the thread is done with something as a wait of another one ends.
  bool lets_go_on(TrackIndex thread, Interval wait);

  const Timeline& timeline_;
  InnermostSlices innermost_;
  std::map<std::string, std::vector<TrackIndex>> threads_;  // with slices, by process
  AskedNames is_wait_;
};

}  // namespace cgpu
