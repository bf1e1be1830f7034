// From a kernel on the timeline to the launches of it that a kernel profiler measured, and back.
#pragma once

#include "serve/json_text_writer.h"
#include "serve/profile.h"

namespace cgpu {

/// The member "measured" of the object that describes a slice; nothing where the kernel was not measured.
void write_measured(JsonTextWriter& json, const Profile& profile, size_t run, SliceIndex slice);

}  // namespace cgpu
