// A run in which nothing was recorded is an error, whichever reader made it: nobody asks for "0 slices".
#pragma once

#include "model/run.h"

namespace cgpu {

/// Whether a reader found nothing that a table could show: no slice, instant, counter, allocator event, call tree,
/// launch, op graph or step, nor devices of a whole recording of Nsight Systems. O(notes).
bool is_empty_run(const Run& run);

/// Throws an Error that says as what the file was read, how many events it had and as what they were kept, which were
/// lost, what was looked for, and what to do.
[[noreturn]] void refuse_empty_run(const Run& run);

}  // namespace cgpu
