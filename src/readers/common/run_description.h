// What cgpu's own exports say of a run besides its events (export/run_description.h).
#pragma once

#include <string>

#include "model/run.h"

namespace cgpu {

/// Fills what the description, a JSON object, says: rank, devices, groups, steps, tracks, counters. Members that are
/// not known are passed over; of a text that is damaged what is before the damage is taken. O(length).
void read_run_description(const std::string& text, Run& run);

}  // namespace cgpu
