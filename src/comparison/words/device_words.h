// The devices of two runs in words: which they are, how much of them the runs make use of, and what bounds each run.
#pragma once

#include <string>

#include "analysis/device/device_models.h"
#include "comparison/comparison.h"

namespace cgpu {

DeviceModels models_of(const Comparison& comparison, Side side);

/// Lines; "" where both sides ran on the same model and are bound by the same. Of unlike models, the inputs of ops are
/// read from the profiles once more.
std::string device_words(const Comparison& comparison);

/// Why the device work of one side cannot be compared with the ops of the other: these ran on a device, too, whose work
/// was not recorded. "" where that is not so.
std::string unrecorded_device_words(const Comparison& comparison);

}  // namespace cgpu
