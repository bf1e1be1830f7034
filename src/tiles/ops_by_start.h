// The device ops that count, by device, in order of their starts; of equal starts the first in the file comes first.
//
// The ops of a stream mostly come sorted, so that its streams are merged: O(n log s) for s streams, else O(n log n).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/device/device_ops.h"

namespace cgpu {

std::map<int32_t, std::vector<OpIndex>> ops_by_start(const Timeline& timeline);

}  // namespace cgpu
