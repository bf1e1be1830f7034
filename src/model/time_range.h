// The times that a profile can have.
#pragma once

#include <cstdint>

namespace cgpu {

/// ns before and after the origin of a clock, 127 years: sums and differences of two such times fit into 64 bits.
inline constexpr int64_t kMostTime = int64_t{4'000'000'000} * 1'000'000'000;

constexpr bool is_time(int64_t ns) {
  return ns > -kMostTime && ns < kMostTime;
}

}  // namespace cgpu
