// Makes whole what a Chrome trace spreads over several events: slices, flows, call stacks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/run.h"
#include "readers/trace_event/parts.h"

namespace cgpu::trace_event {

/// Adds to `run` the slices, flows and call stacks that `parts` and the keys beside the events (`header`: key, JSON
/// text) hold. Slices that are one event must be there already.
void complete_trace(const Parts& parts, const std::vector<std::pair<std::string, std::string>>& header, Run& run);

}  // namespace cgpu::trace_event
