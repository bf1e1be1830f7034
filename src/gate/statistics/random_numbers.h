// Random numbers that are the same on every machine, for resampling: SplitMix64 (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014). The distributions of the C++ library differ between
// libraries.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace cgpu {

class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(seed) {}

  uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// 0 to count - 1. Its bias of count / 2^32 does not matter here; count is below 2^32.
  size_t below(size_t count) { return static_cast<size_t>(((bits() >> 32) * count) >> 32); }
  /// 0 to 1, never either.
  double share() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }
  /// Standard normal: Box and Muller, 1958.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(share()));
    return radius * std::cos(2 * std::numbers::pi * share());
  }

 private:
  uint64_t state_;
};

}  // namespace cgpu
