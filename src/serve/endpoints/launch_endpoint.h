// From a kernel on the timeline to its launches that a kernel profiler measured, and back (/api/p/P/launch).
#pragma once

#include "serve/profile.h"
#include "table/json_text_writer.h"

namespace cgpu {

/// The member "measured" of the object that describes a slice; nothing where the kernel was not measured.
void write_measured_launches(JsonTextWriter& json, const Profile& profile, size_t run, SliceIndex slice);

}  // namespace cgpu
