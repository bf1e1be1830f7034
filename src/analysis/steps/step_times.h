// The iterations (steps) of a run, by their marks (step_marks.h): docs/definitions/steps-and-layers.md, "steps".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/steps/step_marks.h"
#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

struct Step {
  int64_t number = 0;
  Interval time;           // up to the end of its device work, on the run's clock; steps do not overlap
  int64_t device_ops = 0;  // launched inside the mark
  SliceIndex mark = kNone;
};

/// The steps in order of their starts. O(n) in the slices where there are no marks or the launches come sorted, else
/// O(n log n).
std::vector<Step> find_steps(const Timeline& timeline);

/// The times of their marks.
std::vector<Interval> marks_of(const Timeline& timeline, const std::vector<Step>& steps);

/// The last of these that begins until a time, where it has not ended by then. O(log steps).
std::optional<size_t> mark_at(const std::vector<Interval>& marks, int64_t time);

/// ns.
std::vector<int64_t> durations_of(const std::vector<Step>& steps);

/// Whether step `i` is the last one and the recording seems to have stopped in it: it launched fewer than 80 % of the
/// device ops of the step before.
bool is_cut_short(const std::vector<Step>& steps, size_t i);

/// Whether the device still did what was launched before the recording while the first step ran: device ops whose
/// launch is not in the profile take 1 % of the first of three steps or more, but less of the second one. O(device
/// ops).
bool begins_with_earlier_work(const Timeline& timeline, const std::vector<Step>& steps);

}  // namespace cgpu
