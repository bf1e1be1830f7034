// What the frames of a sampled call stack do for the user's code: wait, allocate, interpret, or nothing of the kind.
//
// The rules are data, in frame_rules.txt, compiled into the binary. A name is held against a few dozen RE2 searches,
// each linear in its length.
#pragma once

#include <cstdint>
#include <string_view>

namespace cgpu {

/// As frame_rules.txt describes them.
enum class FrameRole : uint8_t {
  user,
  interpreter,
  runtime,
  // Functions that a user wants to see by name:
  garbage_collection,
  allocation,
  page_fault,
  io,
  lock,
  thread_wait,
  sleep,
  device_wait,
  mpi,
  mpi_setup,
  openmp_wait
};

/// "garbage_collection", as in frame_rules.txt.
std::string_view text_of(FrameRole role);

/// Whether frames of this role, with all below them, are one activity on behalf of the frame above.
inline bool is_activity(FrameRole role) {
  return role >= FrameRole::garbage_collection;
}
/// Whether the thread gets nothing done of its own meanwhile.
inline bool is_waiting(FrameRole role) {
  return role >= FrameRole::io;
}

/// The role of a function; `module` (program or library) and `file` are empty where unknown. Thread-safe.
FrameRole frame_role(std::string_view function, std::string_view module, std::string_view file);

}  // namespace cgpu
