// The waits of a slice: how it ended where it waits itself, and the waits of others that it ended, that held it up, or
// whose event it recorded. links/waits.h finds them.
#pragma once

#include <vector>

#include "serve/profile.h"
#include "table/json_text_writer.h"

namespace cgpu {

/// The members "wait" (of a slice that waits) and "waits" (of one that ended others, was held by them, or recorded
/// their event); nothing for any other slice.
void write_slice_waits(JsonTextWriter& json, const Profile& profile, size_t run, SliceIndex slice);

/// An arrow of a wait.
struct WaitArrow {
  const char* kind;  // "wait": from an op to the wait that it ended; "held": to the op that could not begin before;
                     // "event": from what recorded an event to a wait for it
  SliceIndex from = kNone;
  SliceIndex to = kNone;
};
/// Those of the waits that a slice is or has a part in.
std::vector<WaitArrow> wait_arrows(const Profile& profile, size_t run, SliceIndex slice);

}  // namespace cgpu
