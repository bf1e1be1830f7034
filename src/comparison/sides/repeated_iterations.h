// Iterations of runs without marks: the sequence of device ops that repeats on both sides. Two windows of one program
// that were cut at other places then compare by what they repeat, not by how much of it fell into the window.
//
// A repetition reaches from the start of one op to the start of the next one like it, of a kind that occurs once in
// each repetition of both sides, on the device of the most ops. O(n log n) in the device ops
// (analysis/steps/repeated_sequence.h).
#pragma once

#include <vector>

#include "comparison/alignment/alignment.h"
#include "comparison/alignment/labels.h"
#include "comparison/sides/compared_time.h"

namespace cgpu {

/// The repetitions of each run of both sides; empty where a run has fewer than three or nothing is found in all runs.
/// Both sides have equally many runs. `of_host`: their device ops are the work of the host (host_work.h).
PerSide<std::vector<ComparedTime>> repeated_iterations(const PerSide<const SessionFacts*>& facts, bool of_host,
                                                       Labels& labels);

}  // namespace cgpu
