// The device ops with plausible durations, by device, sorted by start; of equal starts the earlier in the file first.
//
// The ops of a stream are mostly sorted already, so that streams are merged: O(n log s) for s streams, else O(n log n).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/device/device_ops.h"

namespace cgpu {

std::map<int32_t, std::vector<OpIndex>> ops_by_start(const Timeline& timeline);

}  // namespace cgpu
