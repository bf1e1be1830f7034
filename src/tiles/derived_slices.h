// Slices that the viewer derives from the profile and shows on tracks of their own.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/idle/session_idle.h"
#include "analysis/steps/step_times.h"
#include "model/run.h"

namespace cgpu {

/// Columns of equal length, in order of the starts, which are on the run's clock.
struct DerivedSlices {
  std::vector<int64_t> start;
  std::vector<int64_t> duration;
  std::vector<uint32_t> name;      // a number whose meaning depends on the function that made the slices
  std::vector<SliceIndex> origin;  // the slice of the run that it was derived from

  size_t size() const { return start.size(); }
  void reserve(size_t count) {
    start.reserve(count);
    duration.reserve(count);
    name.reserve(count);
    origin.reserve(count);
  }
  void add(Interval time, uint32_t name_number, SliceIndex from) {
    start.push_back(time.begin);
    duration.push_back(time.end - time.begin);
    name.push_back(name_number);
    origin.push_back(from);
  }
};

/// The times in which the device communicated without computing (`exposed`), each named after and derived from the
/// communication op that had begun last. Names are ids of Timeline::names. O(n log n) in the communication ops.
DerivedSlices exposed_communication(const Timeline& timeline, const std::vector<OpIndex>& ops,
                                    const IntervalSet& exposed);

/// For each host annotation the time from the first start to the last end of those of `ops` that were launched inside
/// it, derived from the annotation. Names are ids of Timeline::names. O(n + m d) for m ops inside d annotations each.
DerivedSlices projected_ranges(const Timeline& timeline, const std::vector<OpIndex>& ops);

/// The gaps in which a device did nothing. Their name is the main cause (IdleCause), their origin the op after the gap.
struct IdleSlices {
  DerivedSlices slices;
  // The causes of gap i, the longest first: elements part_begin[i] to part_begin[i + 1] of the columns below.
  std::vector<uint32_t> part_begin = {0};
  std::vector<IdleCause> part_cause;
  std::vector<int64_t> part_ns;
};
/// O(n) in the ops if these are sorted by start.
IdleSlices idle_slices(SessionIdle& gaps, size_t run, const Timeline& timeline, const std::vector<OpIndex>& ops);

}  // namespace cgpu
