// Times of different ranks on one clock (clocks.h), corrected for the drift of their clocks where that is known.
#pragma once

#include <cmath>
#include <cstdint>

#include "model/run.h"

namespace cgpu {

/// A time on the clock of a run, as the reference's clock has it.
inline int64_t common_time(const Run& run, int64_t time) {
  const int64_t moved = time + run.clock_base;
  return run.clock.drift ? moved - run.clock.drift->ahead_at(moved) : moved;
}

/// The time on the clock of a run at which the reference's has `common`: to 1 ns where there is drift.
inline int64_t own_time(const Run& run, int64_t common) {
  if (!run.clock.drift) return common - run.clock_base;
  const RunClock::Drift& drift = *run.clock.drift;
  const int64_t level = common + drift.ahead;
  const double more = drift.rate / (1 - drift.rate) * static_cast<double>(level - drift.from);
  return level + std::llround(more) - run.clock_base;
}

}  // namespace cgpu
