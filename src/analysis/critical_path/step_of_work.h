// The step that work of a run belongs to, where ranks are compared step by step.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/session_facts.h"

namespace cgpu {

/// The number of the last step whose mark has begun at a time of the host, on the run's clock; absent before the first
/// one, 0 in a run without steps. The host may be in a step while the device still works for those before. O(log
/// steps).
std::optional<int64_t> step_begun_at(const SessionFacts& facts, size_t run, int64_t time);
/// Of a device op: when it was launched, else when it began.
std::optional<int64_t> step_of_op(const SessionFacts& facts, size_t run, SliceIndex op);

}  // namespace cgpu
