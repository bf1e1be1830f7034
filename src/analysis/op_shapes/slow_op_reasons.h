// Why an op may be slower than what is attainable, where its inputs and its kernel's name show it: few tiles for the
// multiprocessors, sizes that are no multiples of what vectors hold, strided inputs, depthwise convolutions, and so on.
//
// Reads the arguments of one op.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/op_shapes/costed_work.h"

namespace cgpu {

struct SlowOpReason {
  std::string text;        // "8 tiles of 256x128 for 304 multiprocessors"
  std::string suggestion;  // what to do
};

/// The most telling first.
std::vector<SlowOpReason> slow_op_reasons(const CostedWork& work, std::optional<int64_t> multiprocessors);

}  // namespace cgpu
