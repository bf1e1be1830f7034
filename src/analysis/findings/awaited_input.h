// What comes from outside of a program: requests, what people type, processes that it started.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

/// What a thread waits for in a slice, or in those around it.
struct AwaitedInput {
  SliceIndex slice = kNone;  // the outermost: "queue.py: get", not the lock of the queue
  bool is_read = false;      // of 100 ms or more: may be from a file
};
AwaitedInput awaited_input(const Timeline& host, SliceIndex slice);

/// When each process of a timeline does something for the first and the last time, as far as its threads show it.
class ProcessTimes {
 public:
  /// Which must outlive it. O(slices).
  explicit ProcessTimes(const Timeline& timeline);

  /// Whether a host slice waits for a process that its own started: another one that begins later than its own, and
  /// that is there for half of the slice or more, for half of its own time or more.
  bool waits_for_started(SliceIndex slice) const;

 private:
  const Timeline& timeline_;
  std::map<std::string_view, Interval> processes_;
};

/// Whether times are as unlike as those are in which people type, not as those of equal files.
bool are_unequal(std::vector<int64_t> times);

}  // namespace cgpu
