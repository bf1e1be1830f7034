// XPlane profiles (*.xplane.pb) of XLA: what JAX and TensorFlow write.
//
// A schema-less walk, one plane in memory at a time. Format: docs/formats/xplane.md.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::xplane {

bool is_profile(const Input& input);
/// A timeline: the streams of the devices and the threads of the host. Throws Error where it is none.
Run read_profile(const Input& input, const ReadOptions& options);

}  // namespace cgpu::xplane
