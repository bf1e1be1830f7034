// Words about the calls of the host: which it waits in more often, and those that start device work.
#pragma once

#include <string>

#include "comparison/comparison.h"

namespace cgpu {

/// What the host waits in more or less often than before.
std::string waiting_call_words(const Comparison& comparison);

/// How many launches device ops take, where one side starts more of them at once, as by graphs; and which of these
/// calls last longer or shorter, where the devices are idle for it.
std::string launch_words(const Comparison& comparison);

}  // namespace cgpu
