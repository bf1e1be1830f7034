// Which of the first steps of a run are warm-up, and what they did more than the others.
//
// A step before all others is warm-up where it takes more than kWarmUp times the median step (steps/warm_up.h), or
// where it is longer than the longest of the rest by 5 % and most of what it takes longer than their median is done
// once: loading of code, compilation, allocation. It is none where most of that is time of a cause that the other steps
// have too (input that is late in each step, and later in the first one): then it is a step like the others.
//
// O(steps); where the first step is longer than the rest, also O(moments) for the critical path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/critical_path/periods.h"
#include "analysis/session_facts.h"

namespace cgpu {

struct WarmUp {
  size_t steps = 0;
  /// What the first of them does more than the median of the other steps, on the critical path, the most first.
  struct Excess {
    std::string cause;  // BoundBy::name_of
    int64_t time = 0;   // ns
  };
  std::vector<Excess> excess;
};

/// `periods`: steps of a session, in order.
WarmUp find_warm_up_steps(const SessionFacts& facts, const std::vector<Period>& periods);

}  // namespace cgpu
