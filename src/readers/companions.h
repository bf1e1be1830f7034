// Joins what several files say of one run: the memory timeline beside a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// From the first start of a run's slices to the last end, comparable between runs that count from 1970. O(n).
std::optional<std::pair<int64_t, int64_t>> recorded_time(const Run& run);

/// Whether a run has allocator events and nothing that they could belong to.
bool holds_only_memory(const Run& run);

/// Joins every run that holds nothing but memory with the trace it was recorded with, and removes it from the list.
/// That is the trace whose allocator's events it repeats, where traces have such events; else the one in whose time it
/// lies; of several such traces the one of the same rank. Memory events that the trace has itself are kept instead of
/// the timeline's; counters are added. A timeline that fits no trace, or several, stays as it is and says so.
/// O(n log n) in the memory events.
void join_companions(std::vector<Run>& runs);

}  // namespace cgpu
