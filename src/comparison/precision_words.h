// Words about the precision in which two runs multiply matrices, where it is not the same: by the types of the inputs
// where shapes are recorded, and, of 32-bit floats, by whether the names of kernels say that they compute in TF32.
#pragma once

#include <string>

#include "comparison/comparison.h"

namespace cgpu {

/// "" where it is the same or not known.
std::string precision_words(const Comparison& comparison);

}  // namespace cgpu
