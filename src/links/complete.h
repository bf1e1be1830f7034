// Completes a freshly read run: everything that follows from the raw columns and needs no question asked.
#pragma once

#include "kernels/dictionary.h"
#include "model/run.h"

namespace cgpu {

/// In this order: names in one spelling, nesting of host slices, launch links, forward-backward links, kind and class
/// of device ops, doubtful values into notes. Releases Timeline::hints. O(n log n) in the slices, O(n) where they
/// come sorted. Deterministic: the same file gives the same columns with any number of threads.
/// `threads`: 1 for none but the caller's; else what is independent of the rest gets one of its own.
void complete(Run& run, const KernelDictionary& dictionary, unsigned threads = 0);

}  // namespace cgpu
