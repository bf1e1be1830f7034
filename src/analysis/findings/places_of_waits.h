// Where the host waits for its devices: the op of the framework and the function of the program around the calls.
#pragma once

#include <string>

#include "model/run.h"

namespace cgpu {

/// "; 96 of 120 waits are in aten::nonzero, called from model/router.py(88): forward": the op around half or more of
/// the calls that wait, the outermost of those that read a value of the device, else the innermost; and the innermost
/// Python function that is of no library, likewise. "" where no half of them is in one. O(slices).
std::string places_of_waits(const Session& session);

}  // namespace cgpu
