// What waits waited for. docs/definitions.md, "waits", is the rule.
//
// A wait is a call that returns when a device has done something (waiting_calls.h), or a synchronization of which the
// profile says what it is. What the profile says comes first: the stream, the device, or the call that recorded the
// event. Where it does not say which stream, a wait has an op only if the work of one stream alone can have ended it.
// An op always ends within the wait that it is said to have ended (End::op).
//
// Building: O(n log n) in the device ops and waits, besides one look at every slice; at most 256 streams for a wait of
// which the profile names none.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

struct Wait {
  /// How it ended.
  enum class End : uint8_t {
    op,         // with the end of `op`
    event,      // when a stream came to the event (`record`); no op of that stream ended in the wait
    nothing,    // what it waits for had ended when it began
    later,      // `op`, which it waits for, ended after it by the profile's own times
    ambiguous,  // with one of several streams
    unknown,
  };
  /// What says so.
  enum class By : uint8_t { none, launch, record, stream, device, times };

  SliceIndex slice = kNone;
  End end = End::unknown;
  By by = By::none;
  SliceIndex op = kNone;
  SliceIndex held = kNone;    // of a stream_order: the op that could not begin before `op` had ended
  SliceIndex record = kNone;  // what recorded the awaited event: a call, or an event_record
};

const char* text_of(Wait::End end);  // "op", ...
const char* text_of(Wait::By by);    // "times", ...; "" for none

class Waits {
 public:
  /// Of a completed run.
  explicit Waits(const Timeline& timeline);

  const std::vector<Wait>& all() const { return waits_; }  // by slice
  /// The wait that a slice is; null for any other slice.
  const Wait* find(SliceIndex slice) const;
  /// The waits that a slice ended, or that held it, or whose event it recorded; by slice.
  std::vector<const Wait*> around(SliceIndex slice) const;

 private:
  std::vector<Wait> waits_;
  std::vector<std::pair<SliceIndex, uint32_t>> parts_;  // slice, place in waits_ of a wait it has a part in; sorted
};

}  // namespace cgpu
