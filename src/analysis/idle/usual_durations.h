// How long host slices of a name usually take, to find those that lasted so much longer that their thread cannot have
// run all the time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

/// What takes so many times the usual did not run all the time, if it is one of so many at most that do: what takes
/// long time and again has another reason.
inline constexpr int64_t kNotRunning = 100;
inline constexpr uint32_t kRare = 20;

struct UsualDuration {
  uint32_t count = 0;
  int64_t duration = 0;    // ns: lower median
  uint32_t long_ones = 0;  // that take kNotRunning times that

  /// From how many ns on one did not run all the time; INT64_MAX where too many are as long.
  int64_t not_running() const { return kRare * long_ones <= count ? kNotRunning * duration : INT64_MAX; }
};

/// Of each name that one of `long_ones` has, which are some of `slices`: what all of `slices` of that name take. O(n).
std::unordered_map<StringId, UsualDuration> usual_durations(const Timeline& timeline,
                                                            const std::vector<SliceIndex>& slices,
                                                            const std::vector<SliceIndex>& long_ones);

/// Takes those out of `long_ones` that are the first of their name in their process among `slices`: they may load or
/// compile. O(n).
void erase_first_of_names(const Timeline& timeline, const std::vector<SliceIndex>& slices,
                          std::vector<SliceIndex>& long_ones);

}  // namespace cgpu
