// Inserts slices that are known only at the end of reading where they are in the file.
#pragma once

#include <vector>

#include "model/timeline.h"

namespace cgpu::trace_event {

/// Adds `made` to the slices, which are in the order of the file and stay so; whatever names a slice is renumbered.
/// O(slices), O(made log made).
void insert_slices(std::vector<Slice> made, Timeline& timeline);

}  // namespace cgpu::trace_event
