// What counters were on average in a part of the run.
#pragma once

#include <string_view>
#include <vector>

#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

/// By counter the mean of its samples in a time on the run's clock; NaN where it has none then. O(samples).
std::vector<double> counter_means(const Counters& counters, Interval time);

/// Whether a counter of this name says how fast a device can be: its clocks, power or temperature.
bool tells_state_of_device(std::string_view name);

}  // namespace cgpu
