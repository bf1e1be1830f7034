// The causes of idle time, and which names of host slices stand for which cause: docs/definitions/idle.md, "idle".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/timeline.h"

namespace cgpu {

/// What the time of a gap went to. The launching thread is the one that launched the op after the gap.
enum class IdleCause : uint8_t {
  // What the launching thread did, before its launch call or inside it:
  synchronization,
  blocking_copy,  // also a copy of pageable memory that is called asynchronous
  data_loading,
  allocation,
  compilation,
  module_load,  // also inside the first launch of a kernel
  garbage_collection,
  lock,
  io,
  not_scheduled,  // a call lasted far longer than calls of its name do, and nothing in it explains that
  no_work,        // a server had no request, or the program waited for what a person types
  host_code,      // anything else, before the launch call
  // Since the launch call began:
  launch_overhead,  // the call itself, and the time that the op needs to start
  dependency,       // the op waited for other work of the device
  // The rest:
  other_rank,         // the launching thread waited for other ranks in a collective (ranks/rank_waits.h)
  profiler_overhead,  // the profiler was at work on any thread
  profile_edge,       // work from before the recording, or after the host's (profile_edges.h)
  unknown             // the launch is not in the profile
};
inline constexpr int kIdleCauses = static_cast<int>(IdleCause::unknown) + 1;

/// A launched op that has not begun after so long (ns) waits for something else (docs/definitions/idle.md, "idle").
inline constexpr int64_t kLongestStart = 30'000;

/// "synchronization", "blocking_copy", ...
std::string_view text_of(IdleCause cause);

/// The cause that a slice of this kind and name stands for; empty where it stands for none. Host slices and, on any
/// track, what the driver does late. no_work is that of a frame in which a server takes requests: only where it waits
/// there does the time go to that; of a call of the operating system all of it. O(length of the name).
std::optional<IdleCause> cause_named_by(SliceKind kind, std::string_view name);

/// Causes that tell how a thread waits, not for what.
inline bool is_way_of_waiting(IdleCause cause) {
  return cause == IdleCause::lock || cause == IdleCause::io;
}

/// Whether in a call or frame of this name a thread waits for others to say something: for events of the system, for a
/// condition of another thread. O(length of the name).
bool waits_for_event(std::string_view name);

/// Whether a call of the operating system or frame of this name sleeps for a time. O(length of the name).
bool is_sleep(std::string_view name);

}  // namespace cgpu
