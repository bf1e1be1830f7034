// Streams of a device that do the same one after the other, as where a batch is computed in parts
// (docs/definitions/steps-and-layers.md, "micro_batches").
//
// O(n log n) in the device ops.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/partial.h"

namespace cgpu {

/// What they did in the iterations in which they take turns.
struct StreamsInTurn {
  std::map<int64_t, std::vector<OpIndex>> ops;  // by stream
  int64_t steps = 0;
  int64_t turns = 0;  // launches on another stream of these than the one before
};

/// By device and numbers of the streams, which are two or more.
std::map<std::pair<int32_t, std::vector<int64_t>>, StreamsInTurn> find_streams_in_turn(const RunInSession& run);

}  // namespace cgpu
