// The causes of idle time, and which of them the name of a host slice gives away.
//
// docs/definitions.md, "idle", lists the names. O(length of the name).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/timeline.h"

namespace cgpu {

/// Contract, "idle". `other_rank` needs the clocks of several ranks and is never given from one.
enum class IdleCause : uint8_t {
  synchronization,
  blocking_copy,
  data_loading,
  allocation,
  module_load,
  garbage_collection,
  lock,
  host_code,
  launch_overhead,
  dependency,
  other_rank,
  profiler_overhead,
  unknown
};
inline constexpr int kIdleCauses = static_cast<int>(IdleCause::unknown) + 1;

/// "synchronization", "blocking_copy", ...
std::string_view text_of(IdleCause cause);

/// The cause that a host slice of this kind and name stands for; empty where it names none.
std::optional<IdleCause> cause_named_by(SliceKind kind, std::string_view name);

}  // namespace cgpu
