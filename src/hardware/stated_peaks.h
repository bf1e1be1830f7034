// Peak rates that the user states for devices that are not known: "bf16=400TFLOP/s,memory=2TB/s".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hardware/device_peaks.h"

namespace cgpu {

/// "memory" and "link" (DevicePeaks::link_bandwidth) in B/s, and types as PeakRate names them in operations/s.
using StatedPeaks = std::vector<std::pair<std::string, double>>;

/// Reads NAME=RATE, several with commas between; a rate is a number with or without K, M, G, T or P before its unit.
/// Throws Error, which names `option` and what is known.
StatedPeaks parse_stated_peaks(std::string_view text, std::string_view option);

/// The peaks of the device of this name, with what is stated in their place; absent where neither says anything.
std::optional<DevicePeaks> find_device_peaks(std::string_view device_name, const StatedPeaks& stated);

}  // namespace cgpu
