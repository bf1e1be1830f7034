// How busy a device was in each bucket of a tile (docs/viewer-protocol.md, "An activity tile").
//
// 24 bytes an interval, O(log n) for each bucket and kind of work. Brute force with the same result: mark every
// nanosecond.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/device/device_ops.h"
#include "base/interval_set.h"
#include "tiles/tile.h"

namespace cgpu {

/// The time that a set of intervals covers before any given moment.
class CoveredTime {
 public:
  /// Keeps a reference.
  explicit CoveredTime(const IntervalSet& times);
  /// ns covered before `time`. O(log n).
  int64_t before(int64_t time) const;

 private:
  const IntervalSet& times_;
  std::vector<int64_t> covered_;  // before each interval
};

/// When a device computed, communicated and copied; times on the run's clock.
struct DeviceTimes {
  IntervalSet compute;
  IntervalSet exposed_communication;  // while nothing computed
  IntervalSet exposed_memory;         // while nothing computed or communicated

  /// `ops` in any order; fastest if sorted by start.
  DeviceTimes(const Timeline& timeline, const std::vector<OpIndex>& ops);
};

class Activity {
 public:
  /// `zero`: the time on the run's clock that tiles call 0. `times` must outlive it.
  Activity(const DeviceTimes& times, int64_t zero);
  std::string tile(const TilePlace& place) const;

 private:
  std::array<CoveredTime, 3> covered_;  // compute, exposed communication, exposed memory
  int64_t zero_;
};

}  // namespace cgpu
