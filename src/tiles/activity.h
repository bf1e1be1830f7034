// How busy a device was, bucket by bucket. docs/viewer-protocol.md, "A counter tile ... An activity tile".
//
// 24 bytes an interval, O(log n) a bucket and kind. The slow way it equals: mark every nanosecond.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/device/device_ops.h"
#include "base/interval_set.h"
#include "tiles/tile.h"

namespace cgpu {

/// Time covered by a set of intervals up to any moment.
class CoveredTime {
 public:
  CoveredTime() = default;
  explicit CoveredTime(IntervalSet times);
  /// ns covered before `time`. O(log n).
  int64_t before(int64_t time) const;
  size_t bytes() const;

 private:
  IntervalSet times_;
  std::vector<int64_t> covered_;  // before each interval
};

/// When a device did what; times on the run's clock.
struct DeviceTimes {
  IntervalSet compute;
  IntervalSet exposed_communication;  // without compute
  IntervalSet exposed_memory;         // without either

  /// `ops`: quickest by start.
  DeviceTimes(const Timeline& timeline, const std::vector<OpIndex>& ops);
};

class Activity {
 public:
  /// `zero`: the time on the run's clock that tiles call 0.
  Activity(DeviceTimes times, int64_t zero);
  std::string tile(const TilePlace& place) const;
  size_t bytes() const;

 private:
  std::array<CoveredTime, 3> covered_;  // compute; communication without compute; memory without either
  int64_t zero_;
};

}  // namespace cgpu
