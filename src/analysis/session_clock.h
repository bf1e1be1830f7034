// Where a session begins: the time that tables of single events show as 0.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/interval_set.h"
#include "model/run.h"

namespace cgpu {

/// From the first start to the last end of the slices, on the run's clock. Spans of the profiler itself and implausible
/// durations do not count. Empty where no slice is left.
std::optional<Interval> extent_of(const Timeline& timeline);
/// The same of a run, whose timeline may have been released.
std::optional<Interval> extent_of(const Run& run);
/// The same of the slices [begin, end) only.
std::optional<Interval> extent_of(const Timeline& timeline, SliceIndex begin, SliceIndex end);

/// From the first to the last sample of a counter or event of the allocator.
std::optional<Interval> extent_of_samples(const Timeline& timeline);
/// The same of all that is no slice: also of events without a duration.
std::optional<Interval> extent_of_events(const Timeline& timeline);

/// Whether the times of different runs can be compared: there is one run, or all clocks count from 1970 or have been
/// aligned (links/clocks.h).
bool has_common_clock(const Session& session);

/// For each run the time on its clock that is shown as 0: the first start of the whole session where the clocks can be
/// compared, else the first start of the run itself; 0 for a session (run) without any times. A run without slices
/// starts with its first event. A part of a session keeps the zeros of the whole (Session::zeros).
std::vector<int64_t> time_zeros(const Session& session);
/// The same where the extents of the runs are known already.
std::vector<int64_t> time_zeros(const Session& session, const std::vector<std::optional<Interval>>& extents);

}  // namespace cgpu
