// Names of ops and ranges whose numbers say which one is meant ("stage1", "stage2", "layer_3"), as against numbers that
// count what comes ("iter_17") or differ from run to run (ids).
//
// Of names that are alike but for their numbers, those that both runs have are the same work each. Their numbers are
// taken for a part of the name where one run has all of those that the other one has, and are taken for a counter
// where each occurs once and the run that has more only goes on counting. O(slices).
#pragma once

#include <string>
#include <unordered_set>

#include "comparison/alignment/alignment.h"
#include "model/run.h"

namespace cgpu {

/// The names (folded_names.h) whose numbers are a part of them.
std::unordered_set<std::string> numbered_names(const PerSide<const Session*>& sessions);

}  // namespace cgpu
