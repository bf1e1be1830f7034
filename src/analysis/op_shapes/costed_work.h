// The device work of framework ops whose cost is known, of ops that are alike together: what they computed and moved,
// in what time, and which device ops that was.
//
// An op counts where device work was launched in it and no op inside it with a cost has any (costed_ops.h). Work beside
// which others compute on the same device is left out: it had a part of the device.
//
// Reads the arguments of the ops whose names take a share of the device time from the profile again; else O(n log n) in
// the device ops.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/op_shapes/op_groups.h"
#include "analysis/session_facts.h"

namespace cgpu {

struct CostedWork {
  OpKey key;
  OpCost cost;
  int64_t ops = 0;  // a captured one once a replay
  int64_t kernels = 0;
  int64_t ns = 0;         // of the device
  int64_t median_ns = 0;  // of one
  int64_t lower_quartile_ns = 0;
  const Run* profile = nullptr;  // that has the calls
  SliceIndex example = kNone;    // one of the ops in it
  std::string kernel;            // that takes the most of the time of one
  KernelClass kernel_class = KernelClass::unknown;
  std::vector<std::pair<size_t, SliceIndex>> device_ops;  // run, slice
};

/// Of the device ops of a session; of names of ops that take `share` of the time of all device ops or more.
std::vector<CostedWork> find_costed_work(const SessionFacts& facts, double share);

}  // namespace cgpu
