// The causes of idle time, and which names of host slices stand for which cause: docs/definitions.md, "idle".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/timeline.h"

namespace cgpu {

/// What the time of a gap went to. The launching thread is the one that launched the op after the gap.
enum class IdleCause : uint8_t {
  // What the launching thread did before its launch call:
  synchronization,
  blocking_copy,  // also in the launch call itself, if that is one
  data_loading,
  allocation,
  module_load,
  garbage_collection,
  lock,
  host_code,  // anything else
  // Since the launch call began:
  launch_overhead,  // the call itself, and the time that the op needs to start
  dependency,       // the op waited for other work of the device
  // The rest:
  other_rank,         // the launching thread waited for other ranks in a collective (ranks/rank_waits.h)
  profiler_overhead,  // the profiler was at work on any thread
  unknown             // the launch is not in the profile
};
inline constexpr int kIdleCauses = static_cast<int>(IdleCause::unknown) + 1;

/// "synchronization", "blocking_copy", ...
std::string_view text_of(IdleCause cause);

/// The cause that a host slice of this kind and name stands for; empty where it stands for none. O(length of the name).
std::optional<IdleCause> cause_named_by(SliceKind kind, std::string_view name);

}  // namespace cgpu
