// Which ranges of the host mark the iterations of a run (docs/definitions/steps-and-layers.md, "steps"): those of the
// framework's profiler; else ranges that repeat with a counter ("Step 190 to 200", "iteration 12", "step_3"); else
// those that the engine of a server sets around each batch (vLLM, SGLang).
//
// O(n) in the slices and the length of the names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

/// How the names of the marks begin that the framework's profiler sets; their number follows.
inline constexpr std::string_view kStepMark = "ProfilerStep#";

struct StepMark {
  int64_t step = 0;
  Interval time;
  SliceIndex slice = kNone;
};

/// In order of their starts; of one kind, and but for the profiler's of one thread.
std::vector<StepMark> find_step_marks(const Timeline& timeline);

}  // namespace cgpu
