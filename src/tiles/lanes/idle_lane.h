// The gaps in which a device did nothing, with their causes.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/idle/session_idle.h"
#include "tiles/lanes/derived_slices.h"
#include "tiles/shared_names.h"

namespace cgpu {

/// The name of a slice is the main cause of the gap (IdleCause), its origin the op after the gap.
struct IdleSlices : LaneSlices {
  // The causes of gap i, the longest first: elements part_begin[i] to part_begin[i + 1] of the columns below.
  std::vector<uint32_t> part_begin = {0};
  std::vector<IdleCause> part_cause;
  std::vector<int64_t> part_ns;
};

/// The names of the causes as the viewer writes them ("data loading"), by IdleCause.
std::vector<uint32_t> add_cause_names(SharedNames& names);

}  // namespace cgpu
