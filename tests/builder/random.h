// A small pseudo-random generator that gives the same numbers on every machine and compiler.
//
// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). The distributions of
// the standard library differ between implementations, so there are none here.
#pragma once

#include <cstdint>

namespace cgpu::builder {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// An integer in [low, high]. The bias of the remainder is below 2^-40 for the ranges used here.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }

  /// True `percent` times in a hundred.
  bool chance(int64_t percent) { return between(0, 99) < percent; }

 private:
  uint64_t state_;
};

/// One well-mixed number from two.
inline uint64_t mix(uint64_t a, uint64_t b) {
  return Random(a ^ Random(b).next()).next();
}

}  // namespace cgpu::builder
