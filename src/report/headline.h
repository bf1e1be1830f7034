// The few lines at the top of a report.
#pragma once

#include <string>
#include <vector>

#include "report/sections.h"

namespace cgpu {

/// At most six lines: what ran where and for how long; how busy it was and why not busier; the steps; the largest
/// kernels, or of sampled hosts functions and whose work is uneven; caveats. Lines of which the profile says
/// nothing are left out.
std::vector<std::string> headline_of(const Session& session, const Report& report, const Scope& scope);

}  // namespace cgpu
