// When the queue of each stream grew and shrank: a launch call makes it longer by one from its start on, until the first
// device op that it launched begins.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/partial.h"

namespace cgpu {

/// A time, and what happened then: true where a call launched work, false where launched work began to run.
using QueueChange = std::pair<int64_t, bool>;

/// The changes of each stream in order of time, of equal times the launches first. O(n log n) in the launching calls.
std::map<StreamId, std::vector<QueueChange>> queue_changes(const SessionFacts& facts, size_t run);

}  // namespace cgpu
