// Profiles that show only a part of what devices did: time without recorded work need not be idle time.
#pragma once

#include <string>

#include "model/run.h"

namespace cgpu {

/// The code of the note on such a profile; its text says what was not recorded.
inline constexpr const char* kUnknownUtilization = "unknown_utilization";

/// Why it is not known how busy the devices of a run were, as the end of a sentence; "" where it is known.
std::string why_utilization_is_unknown(const Run& run);
/// Of the first such run.
std::string why_utilization_is_unknown(const Session& session);

}  // namespace cgpu
