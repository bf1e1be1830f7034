// Callbacks for progress and warnings while a profile is opened.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace cgpu {

enum class OpeningPhase : uint8_t { reading, linking };

/// Called now and then, by one thread at a time, with the current phase and the share of it that is done (0..1).
using OpeningProgress = std::function<void(OpeningPhase, double)>;

/// Called for every loss in a damaged input, with a line that says what was lost.
using LossWarning = std::function<void(const std::string&)>;

}  // namespace cgpu
