// speedscope's JSON, which py-spy, rbspy, austin and others write as well (docs/formats/speedscope.md). Streams; memory
// is that of the slices and of one profile's events (24 bytes each) or samples (28 bytes each); of all profiles' where
// they are before the frames.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::speedscope {

bool is_profile(const Input& input);
/// Throws Error where the document is no speedscope profile.
Run read_profile(const Input& input, const ReadOptions& options);

}  // namespace cgpu::speedscope
