// Which calls of a GPU runtime wait, and for what, by their names. O(length of the name).
#pragma once

#include <cstdint>
#include <string_view>

namespace cgpu {

/// What a call waits for before it returns.
enum class Awaited : uint8_t {
  nothing,
  own_copy,  // the copy that it starts
  stream,    // all work submitted to a stream
  device,    // all work submitted to a device
  event,     // that a stream reaches a recorded event
  released,  // work on the device, where that may use what it releases: memory, code, a context
  other,     // something on the device; the name does not say what
};

/// The names are listed in docs/definitions/idle.md, "idle" (causes synchronization and blocking_copy) and "waits".
Awaited awaited_by(std::string_view call);

/// Whether a call of this name asks whether work on the device is done, and does not wait: cudaEventQuery.
bool asks_for_end(std::string_view call);
/// Whether a call of this name records an event in a stream.
bool records_event(std::string_view call);
/// Whether a call of this name has a stream wait for an event.
bool makes_stream_wait(std::string_view call);

}  // namespace cgpu
