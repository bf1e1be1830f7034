// Which rank a change is due to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "comparison/comparison.h"

namespace cgpu {

/// Of an iteration of a group on one side, ns; `by_run`: ns of all iterations.
double time_of_rank(const Comparison& comparison, const PerSide<std::vector<int64_t>>& by_run, Side side, size_t group);

/// The group of the rank that has 80 % or more of a change. Absent where there is one rank, or none has.
std::optional<size_t> changed_rank(const Comparison& comparison, const PerSide<std::vector<int64_t>>& by_run);

/// The group of the rank that the others wait for longer, or less long: it alone hardly waits otherwise than before;
/// `by_run`: ns of waiting. Absent as above.
std::optional<size_t> awaited_rank(const Comparison& comparison, const PerSide<std::vector<int64_t>>& by_run);

/// Of the run of a group on side B.
int64_t rank_of(const Comparison& comparison, size_t group);

}  // namespace cgpu
