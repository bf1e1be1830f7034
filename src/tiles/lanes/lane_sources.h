// The list of the kinds of derived tracks. A new one is a line here and a file that defines
// `LaneDeclaration NAME_lane()` (lane_source.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tiles/lanes/lane_source.h"

namespace cgpu {

/// Those of one place in the order in which they are listed there.
#define CGPU_LANES(LANE) \
  LANE(steps)            \
  LANE(critical_path)    \
  LANE(layers)           \
  LANE(busy)             \
  LANE(idle)             \
  LANE(exposed)          \
  LANE(ranges)           \
  LANE(call_path)        \
  LANE(counter)

#define CGPU_DECLARE_LANE(name) LaneDeclaration name##_lane();
CGPU_LANES(CGPU_DECLARE_LANE)
#undef CGPU_DECLARE_LANE

/// All of them.
const std::vector<LaneDeclaration>& all_lanes();

/// The kinds that the high byte of a colour numbers, and how the page colours them: of slices of the profile, whose
/// colours the page has, then of each lane.
const std::vector<LaneSliceKind>& slice_kinds();
/// The number of one of them.
uint8_t slice_kind(std::string_view name);

}  // namespace cgpu
