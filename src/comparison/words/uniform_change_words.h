// Words about kernels that all take longer or shorter by the same factor, as another clock makes them.
#pragma once

#include <string>

#include "comparison/comparison.h"

namespace cgpu {

/// By which factor nearly all of the compute time changed, of inputs of equal shapes where these are known; "" where
/// parts of it changed unlike each other, or the devices are not of one model.
std::string uniform_change_words(const Comparison& comparison);

}  // namespace cgpu
