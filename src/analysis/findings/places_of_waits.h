// Where calls of the host are made, waits for its devices above all: the op of the framework and the function of the
// program around them.
#pragma once

#include <string>
#include <string_view>

#include "model/run.h"

namespace cgpu {

/// "; 96 of 120 waits are in aten::nonzero, called from model/router.py(88): forward": the op around half or more of
/// the calls that wait, the outermost of those that read a value of the device, else the innermost; and the innermost
/// Python function that is of no library, likewise. "" where no half of them is in one. O(slices).
std::string places_of_waits(const Session& session);

/// ", 87.05% of the time in such calls within aten::cudnn_convolution": the innermost op around calls of this name,
/// where one is around half of their time or more; else "". O(slices).
std::string op_around_calls(const Session& session, std::string_view call);

}  // namespace cgpu
