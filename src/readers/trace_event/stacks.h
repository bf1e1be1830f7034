// Sampled call stacks as a call tree: `samples` and P events that name a frame of `stackFrames`, and the pieces of
// JavaScript processor profiles (P events `Profile` and `ProfileChunk`).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/run.h"
#include "readers/trace_event/parts.h"

namespace cgpu::trace_event {

/// Gives `run` a call tree where the trace has samples. `header`: the keys beside the events and their JSON text.
void read_stacks(const Parts& parts, const std::vector<std::pair<std::string, std::string>>& header, Run& run);

}  // namespace cgpu::trace_event
