// For every wait of the host or of a stream, the device work that ended it (docs/definitions/threads-and-waits.md,
// "waits").
//
// A wait is a call that returns when a device has finished something (waiting_calls.h), or a synchronization that the
// profile records. The profile is believed where it names the stream, the device, or the call that recorded the event.
// Where it does not name the stream, a wait has an op only if a single stream can have ended it. An op with which a
// wait ended (End::op) always ends within the wait.
//
// Building is O(n log n) in the device ops and waits, plus one pass over the slices; for a wait whose stream the
// profile does not name, at most 256 streams are looked at.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

struct Wait {
  /// How the wait ended.
  enum class End : uint8_t {
    op,         // with the end of `op`
    event,      // when a stream reached the event (`record`); no op of that stream ended during the wait
    nothing,    // what it waited for had already finished when it began
    later,      // `op`, which it waited for, ended after the wait by the times of the profile
    ambiguous,  // one of several streams ended it
    unknown,
  };
  /// What that is concluded from.
  enum class By : uint8_t { none, launch, record, stream, device, times };

  SliceIndex slice = kNone;
  End end = End::unknown;
  By by = By::none;
  SliceIndex op = kNone;
  SliceIndex held = kNone;    // of a stream_order: the op that could not start before `op` had ended
  SliceIndex record = kNone;  // the call or the event_record that recorded the awaited event
};

const char* text_of(Wait::End end);  // "op", ...
const char* text_of(Wait::By by);    // "times", ...; "" for none

class Waits {
 public:
  /// Of a completed run.
  explicit Waits(const Timeline& timeline);

  const std::vector<Wait>& all() const { return waits_; }  // by slice
  /// The wait of this slice; null for a slice that is no wait.
  const Wait* find(SliceIndex slice) const;
  /// The waits that this slice ended, that held it back, or whose event it recorded; by slice.
  std::vector<const Wait*> around(SliceIndex slice) const;

 private:
  std::vector<Wait> waits_;
  std::vector<std::pair<SliceIndex, uint32_t>>
      parts_;  // slice, place in waits_ of a wait that it takes part in; sorted
};

}  // namespace cgpu
