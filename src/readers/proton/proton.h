// Profiles of Triton's Proton (`.hatchet`): a tree of scopes and kernels with their metrics, in the literal JSON of
// Hatchet, and behind it what is known of the devices. docs/formats/proton.md.
//
// Streams; O(nodes x metrics) memory.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::proton {

bool is_profile(const Input& input);
/// Throws Error where the file has no node with a metric.
Run read_profile(const Input& input, const ReadOptions& options);

}  // namespace cgpu::proton
