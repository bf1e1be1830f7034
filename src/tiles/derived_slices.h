// Slices that no profiler wrote: what the viewer derives and shows on tracks of their own.
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
  std::vector<uint32_t> name;      // what it is a name in, the function says
  std::vector<SliceIndex> origin;  // the slice of the run that it is about

  size_t size() const { return start.size(); }
  void reserve(size_t count) {
    start.reserve(count);
    duration.reserve(count);
    name.reserve(count);
    origin.reserve(count);
  }
  void add(Interval time, uint32_t what, SliceIndex about) {
    start.push_back(time.begin);
    duration.push_back(time.end - time.begin);
    name.push_back(what);
    origin.push_back(about);
  }
};

/// What communication of the device ran while it computed nothing (`exposed`); named and about the collective that had
/// begun last. Names are of the timeline. O(n log n) in the device ops that communicate.
DerivedSlices exposed_communication(const Timeline& timeline, const std::vector<OpIndex>& ops,
                                    const IntervalSet& exposed);

/// For each annotation of the host the time from the first start to the last end of the ops that were launched inside
/// it, among `ops`; names are of the timeline, about the annotation. O(n + m d) for m ops under d annotations each.
DerivedSlices projected_ranges(const Timeline& timeline, const std::vector<OpIndex>& ops);

/// The gaps, in which the device did nothing; the name is the main cause, about the op that ended the gap.
struct IdleSlices {
  DerivedSlices slices;
  // The causes of each gap, most time first: parts part_begin[i] to part_begin[i + 1].
  std::vector<uint32_t> part_begin = {0};
  std::vector<IdleCause> part_cause;
  std::vector<int64_t> part_ns;
};
/// O(n) in the ops where they come by start.
IdleSlices idle_slices(SessionIdle& gaps, size_t run, const Timeline& timeline, const std::vector<OpIndex>& ops);

}  // namespace cgpu
