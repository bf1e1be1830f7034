// std::partition_point for questions that come one after another, each near the one before.
#pragma once

#include <algorithm>
#include <iterator>

namespace cgpu {

/// The first element of [first, last) for which `is_before` is false; it is true for those before that one, and false
/// from there on. O(log d), d being how far the answer lies from `near`, which is in [first, last].
template <typename Iterator, typename IsBefore>
Iterator partition_point_near(Iterator first, Iterator last, Iterator near, IsBefore is_before) {
  typename std::iterator_traits<Iterator>::difference_type step = 1;
  if (near != last && is_before(*near)) {
    for (first = near + 1; last - first > step && is_before(*(first + (step - 1))); step *= 2) first += step;
    return std::partition_point(first, first + std::min(step, last - first), is_before);
  }
  for (last = near; last - first > step && !is_before(*(last - step)); step *= 2) last -= step;
  return std::partition_point(last - std::min(step, last - first), last, is_before);
}

}  // namespace cgpu
