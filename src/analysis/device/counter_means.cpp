#include "analysis/device/counter_means.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "base/ascii.h"
#include "base/contains.h"

namespace cgpu {

std::vector<double> counter_means(const Counters& counters, Interval time) {
  std::vector<double> sums(counters.tracks.size(), 0.0);
  std::vector<double> samples(counters.tracks.size(), 0.0);
  for (size_t i = 0; i < counters.track.size(); ++i) {
    if (counters.time[i] < time.begin || counters.time[i] >= time.end || !std::isfinite(counters.value[i])) continue;
    sums[counters.track[i]] += counters.value[i];
    ++samples[counters.track[i]];
  }
  for (size_t track = 0; track < sums.size(); ++track) {
    sums[track] = samples[track] > 0 ? sums[track] / samples[track] : std::numeric_limits<double>::quiet_NaN();
  }
  return sums;
}

bool tells_state_of_device(std::string_view name) {
  constexpr std::array<std::string_view, 5> kWords{"clock", "frequency", "power", "temperature", "throttl"};
  const std::string lower = lower_case(name);
  return std::ranges::any_of(kWords, [&](std::string_view word) { return contains(lower, word); });
}

}  // namespace cgpu
