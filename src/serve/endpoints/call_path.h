// What the details of a slice say of its place in the call tree.
#pragma once

#include "serve/profile.h"
#include "table/json_text_writer.h"

namespace cgpu {

/// Members of the object that describes a box of a call path: node, samples, stack (the frames above it, innermost
/// first), origin (its first sample).
void write_path_box(JsonTextWriter& json, const Profile& profile, const SlicePosition& box);

/// Of a slice of the profile that is a sample: node, and stack (the frames that it is in). Says whether it
/// has written a stack.
bool write_sample_path(JsonTextWriter& json, const Profile& profile, size_t run, SliceIndex slice);

}  // namespace cgpu
