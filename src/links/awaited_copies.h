// Copies for which the call that launches them waits, although it is called asynchronous. O(1).
#pragma once

#include "model/plausible.h"
#include "model/timeline.h"

namespace cgpu {

/// Whether `call` (kNone: none) returns only when the copy that it launched is done, or taken over by the driver: of
/// pageable memory always; of memory whose kind the profile does not record where the call lasts until after a copy of
/// 20 us or more (a shorter one may be over by chance).
bool waits_for_own_copy(const Timeline& timeline, OpIndex copy, SliceIndex call);

}  // namespace cgpu
