#include "readers/chrome/complete_trace.h"

#include "readers/chrome/flows.h"
#include "readers/chrome/paired_slices.h"
#include "readers/chrome/stacks.h"

namespace cgpu::chrome {

void complete_trace(const Parts& parts, const std::vector<std::pair<std::string, std::string>>& header, Run& run) {
  if (!parts.rows.empty()) {
    pair_slices(parts, run);
    link_flows(parts, run);
  }
  read_stacks(parts, header, run);
}

}  // namespace cgpu::chrome
