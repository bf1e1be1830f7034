// What whoever opens a profile may hear meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace cgpu {

enum class OpeningPhase : uint8_t { reading, linking };

/// Called now and then from one thread at a time: what is being done, and which share of that is (0..1).
using OpeningProgress = std::function<void(OpeningPhase, double)>;

/// Called for every loss in a damaged input, with a line that says what was lost.
using LossWarning = std::function<void(const std::string&)>;

}  // namespace cgpu
