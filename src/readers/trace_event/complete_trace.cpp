#include "readers/trace_event/complete_trace.h"

#include "readers/trace_event/flows.h"
#include "readers/trace_event/paired_slices.h"
#include "readers/trace_event/stacks.h"

namespace cgpu::trace_event {

void complete_trace(const Parts& parts, const std::vector<std::pair<std::string, std::string>>& header, Run& run) {
  if (!parts.rows.empty()) {
    pair_slices(parts, run);
    link_flows(parts, run);
  }
  read_stacks(parts, header, run);
}

}  // namespace cgpu::trace_event
