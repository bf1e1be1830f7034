// Completes a run after reading: computes all columns that follow from what the reader filled in.
#pragma once

#include "kernels/dictionary.h"
#include "model/run.h"

namespace cgpu {

/// Brings names into one spelling, nests host slices, links launches with device ops and forward with backward ops,
/// classifies device ops, and notes doubtful values. Releases Timeline::hints. O(n log n) in the slices, O(n) where
/// they are sorted. The result does not depend on the number of threads. `threads`: 1 to use the caller's thread only;
/// else nesting runs on a thread of its own.
void complete(Run& run, const KernelDictionary& dictionary, unsigned threads = 0);

}  // namespace cgpu
