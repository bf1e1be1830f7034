// Inserts slices that are known only at the end of reading where they stand in the file.
#pragma once

#include <vector>

#include "model/timeline.h"

namespace cgpu::trace_event {

struct NewSlice {
  int64_t start = 0;
  int64_t end = 0;
  uint64_t source = 0;
  StringId name = 0;
  TrackIndex track = kNone;
  uint16_t category = 0;
  uint8_t flags = 0;
};

/// Adds `made` to the slices, which are in the order of the file and stay so; whatever names a slice is renumbered.
/// O(slices), O(made log made).
void insert_slices(std::vector<NewSlice> made, Timeline& timeline);

}  // namespace cgpu::trace_event
