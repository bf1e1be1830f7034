// When the iterations of a run were. docs/definitions.md, "steps".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

/// What host marks of an iteration are called, before its number.
inline constexpr std::string_view kStepMark = "ProfilerStep#";

struct Step {
  int64_t number = 0;
  Interval time;           // on the run's clock
  int64_t device_ops = 0;  // launched inside the mark
};

/// In order of their starts. O(n log n) in the slices where there are marks, O(n) where there are none or the launches
/// come sorted.
std::vector<Step> find_steps(const Timeline& timeline);

/// Whether the recording stopped in the last step: it launched fewer than 80 % of the device ops of the one before.
bool is_cut_short(const std::vector<Step>& steps, size_t i);

}  // namespace cgpu
