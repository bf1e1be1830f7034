// std::partition_point for questions that come one after another, each near the one before.
#pragma once

#include <algorithm>
#include <cstddef>

namespace cgpu {

/// The first place in [first, last) for which is_before(place) is false; it is true of the places before that one, and
/// false from there on. `last` where there is none. O(log d), d being how far the answer lies from `near`, which is in
/// [first, last].
template <typename IsBefore>
size_t partition_point_near(size_t first, size_t last, size_t near, const IsBefore& is_before) {
  size_t step = 1;
  if (near != last && is_before(near)) {
    for (first = near + 1; last - first > step && is_before(first + step - 1); step *= 2) first += step;
    last = first + std::min(step, last - first);
  } else {
    for (last = near; last - first > step && !is_before(last - step); step *= 2) last -= step;
    first = last - std::min(step, last - first);
  }
  while (first < last) {
    const size_t middle = first + (last - first) / 2;
    if (is_before(middle)) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

}  // namespace cgpu
