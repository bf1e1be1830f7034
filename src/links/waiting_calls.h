// Calls of a device's runtime that wait, by their names. O(length of the name).
#pragma once

#include <cstdint>
#include <string_view>

namespace cgpu {

/// What a call waits for before it returns.
enum class Awaited : uint8_t {
  nothing,
  own_copy,  // the copy that it starts
  stream,    // all that a stream was given
  device,    // all that a device was given
  event,     // that a stream comes to where an event was recorded
  other,     // something of the device; the name does not say what
};

/// docs/definitions.md, "idle" (causes synchronization and blocking_copy) and "waits", list the names.
Awaited awaited_by(std::string_view call);

/// Whether a call of this name records an event in a stream.
bool records_event(std::string_view call);

}  // namespace cgpu
