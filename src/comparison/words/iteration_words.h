// Words about the iterations of two runs: what of their time the devices are busy, whether a change is within what
// iterations differ by among themselves, and which of them are far slower than the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "comparison/attribution/explained_causes.h"
#include "table/marked_text.h"

namespace cgpu {

/// "The device: busy 28.8 ms -> 33.3 ms (+15.6 %), idle 21.7 ms -> 6.95 ms.": where both busy and idle time changed.
std::string busy_words(const Comparison& comparison);

/// Whether the change of the time, in ns of `time`, is no more than iterations differ by themselves, and the sentences
/// that say so; what the devices did can have changed for sure all the same.
struct NoiseOfTime {
  bool within = false;
  bool of_iterations = false;  // whether it is within because iterations differ so much
  double least = 0;            // ns: what is less is within noise
  double busy_change = 0;      // ns, where the time changed within noise, and what the devices are busy with beyond it
  std::optional<PerSide<double>> medians = {};  // ns, where the time changed within noise and the median one beyond it
  /// "3 of 12 iterations of B take far longer": of the side that takes longer, where only it has some.
  std::string slow = {};
  std::string words = {};
};
NoiseOfTime noise_of_time(const Comparison& comparison, const PerSide<int64_t>& time);

/// Which iterations are far slower than the others of their side, and the medians, unless `noise` has these; "" where
/// none is.
MarkedText slow_iteration_words(const Comparison& comparison, const NoiseOfTime& noise);

}  // namespace cgpu
