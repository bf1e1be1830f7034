// How many FLOPs and bytes the device ops of a run account for: those of the framework ops that launched them
// (analysis/op_shapes/op_costs.h), apportioned by duration. In all as many as table `mfu` adds up.
//
// Reads the arguments of every framework op from the profile again; else O(n) in the slices.
#pragma once

#include <cstdint>
#include <vector>

#include "model/run.h"

namespace cgpu {

/// By device op; -1 where it is not known.
struct OpAmounts {
  std::vector<int64_t> flops;
  std::vector<int64_t> bytes;
};

OpAmounts op_amounts(const Session& session, const Run& run);

}  // namespace cgpu
