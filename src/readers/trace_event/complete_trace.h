// Everything in a Chrome trace that is spread over several events.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/run.h"
#include "readers/trace_event/parts.h"

namespace cgpu::trace_event {

/// Adds to `run` the slices, flows and call stacks that `parts` and the keys beside the events (`header`: key, JSON
/// text) make up. The single events are there, with their flags.
void complete_trace(const Parts& parts, const std::vector<std::pair<std::string, std::string>>& header, Run& run);

}  // namespace cgpu::trace_event
