// A part of a run: what happened between two moments.
#pragma once

#include <cstdint>
#include <functional>

#include "model/run.h"

namespace cgpu {

/// Keeps what happened in [begin, end) on the run's clock. Slices that reach over a border are cut there (kClipped), so
/// that times add up over neighbouring windows; slices of no duration belong to the window in which they start. A
/// device op whose launch call lies wholly outside keeps no launch. What was cut, and what lost its launch, is counted
/// in notes.
void select_window(Run& run, int64_t begin, int64_t end);

/// Keeps what happened on the tracks for which `keep` holds, and these tracks' place among all: none is renumbered.
void select_tracks(Run& run, const std::function<bool(const Track&)>& keep);

}  // namespace cgpu
