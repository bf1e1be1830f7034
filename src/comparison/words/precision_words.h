// Words about the precision in which two runs multiply matrices, where it is not the same: by the types of the inputs
// where shapes are recorded, and, of 32-bit floats, by what the names of their kernels say (kernels/fp32_products.h).
#pragma once

#include <string>

#include "comparison/comparison.h"

namespace cgpu {

/// "" where it is the same or not known.
std::string precision_words(const Comparison& comparison);

}  // namespace cgpu
