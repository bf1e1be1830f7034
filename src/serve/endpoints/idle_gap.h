// Why a device was idle in one gap: the causes, a sentence, and the slices to look at.
#pragma once

#include "serve/profile.h"
#include "table/json_text_writer.h"

namespace cgpu {

/// Members of the object that describes a gap: device, cause, causes, why, next (the op that ended the gap), launch
/// (its call), delay, cause_slice (the slice that most of that time is due to, as in table idle_hosts), stack (of that
/// slice of the host, else of the launch).
void write_idle_gap(JsonTextWriter& json, const Profile& profile, const SlicePosition& gap);

}  // namespace cgpu
