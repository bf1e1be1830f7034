// How long a sample of a call stack stands for what it shows: 1.5 times the middle of the distances between the samples
// of its thread at most, which is how far they lie apart while it is sampled. A thread that waits is not sampled by
// the time that it runs: what follows a sample for longer is unknown. The middle, since a few long waits do not move
// it; half more, since timers are late on a loaded machine. O(distances).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cgpu {

struct SampleLength {
  int64_t usual = 0;
  int64_t most = 0;
};

/// `distances` is not empty.
inline SampleLength sample_length(std::vector<int64_t> distances) {
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return {*middle, *middle + *middle / 2};
}

}  // namespace cgpu
