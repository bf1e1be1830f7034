// The critical path (docs/definitions/critical-path.md, "critical_path") as slices of the viewer.
#pragma once

#include <vector>

#include "analysis/session_facts.h"
#include "tiles/derived_slices.h"

namespace cgpu {

/// For each run, where the critical path of the session leads through it. A name is the number of what bounds the run
/// there (BoundBy, analysis/critical_path/edge_parts.h), the origin the device op or call that the part is about, kNone
/// for other time of the host. The session is no part of another. Costs what the table critical_path costs; 24 bytes a
/// part.
std::vector<DerivedSlices> critical_path_slices(const SessionFacts& facts);

}  // namespace cgpu
