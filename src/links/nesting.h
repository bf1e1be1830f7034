// Nesting of host slices: which slice of the same thread encloses which.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Fills Slices::parent for framework ops, annotations, Python frames and calls: of the host slices of the same track
/// that contain it, the one that begins last (of those the shortest; at equal bounds the earlier in the file is
/// outside). Slices that overlap without one containing the other are not nested in each other. One sort and one pass
/// over a stack a track.
void nest_host_slices(Timeline& timeline);

}  // namespace cgpu
