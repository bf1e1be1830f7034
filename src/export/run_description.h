// What an export says of a run besides its events: rank, devices, groups, tracks, counters, as one JSON object
// (read by readers/common/run_description.h). O(tracks).
#pragma once

#include <string>

#include "model/run.h"

namespace cgpu {

std::string run_description(const Run& run);

}  // namespace cgpu
