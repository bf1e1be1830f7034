// A change in words.
#pragma once

#include <string>

#include "gate/check/estimate.h"

namespace cgpu {

/// "+8.7%"
std::string signed_percent(double share);
/// "16.0 ms to 17.4 ms, +8.7% (between +7.9% and +9.4%)".
std::string change_text(const std::string& from, const std::string& to, const Estimate& estimate);

}  // namespace cgpu
