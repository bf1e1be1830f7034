// How near ops come to what is attainable on their device: bounded by compute or by memory, whichever takes longer
// (roofline model: Williams, Waterman, Patterson, 2009).
//
// The device is the one that the profile names or the user states. Where neither does, it is one of those that the
// names of kernels leave (hardware/device_candidates.h), at the least of their rates, or better what other ops of the
// run reach. O(names + ops that are alike).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/op_shapes/costed_work.h"
#include "hardware/attainable_rates.h"

namespace cgpu {

struct DeviceRates {
  AttainableRates attainable;
  /// Of the model; else what the rates are the least of: "gfx942 (MI300A, MI300X or MI325X)". Empty where all that is
  /// known is what the run itself reaches.
  std::string device;
  bool is_model = false;                    // whether the model is known
  bool is_narrow = false;                   // or one of a few of one architecture
  std::vector<AttainableRates> candidates;  // of each device that it may be, where the model is not known
};

DeviceRates device_rates(const Session& session, const std::vector<CostedWork>& works);

struct OpEfficiency {
  double attainable_ns = 0;  // of one op
  double share = 0;          // of the lower quartile of the times of its ops that this is
  bool by_memory = false;    // what bounds it
  double rate = 0;           // that it reaches of what bounds it, in FLOP/s or B/s
  double attainable_rate = 0;
};

/// Absent where the cost or a rate is not known.
std::optional<OpEfficiency> efficiency_of(const CostedWork& work, const AttainableRates& rates);

}  // namespace cgpu
