// What a device did in whole iterations: the time of each of its owners, for comparing devices of many ranks.
//
// An iteration of a device is the time from the first op that a step launched to the first op that the next one
// launched: so long the same work takes, wherever the host is meanwhile. All from the first step to the last one
// counts. O(n log n) in the slices of a run, for the causes of its gaps; a few dozen bytes a device are kept.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/idle/idle_causes.h"
#include "analysis/partial.h"
#include "base/interval_set.h"
#include "model/plausible.h"

namespace cgpu {

/// What the time of a device goes to, but for communication, which several ranks share.
enum class TimeOwner : uint8_t {
  compute,
  copies,  // copies and memsets that nothing else hides
  idle     // and what follows: idle time by cause, from IdleCause 0 on
};
inline constexpr size_t kTimeOwners = static_cast<size_t>(TimeOwner::idle) + kIdleCauses;

struct DeviceCycles {
  int32_t device = 0;
  /// Whole iterations; 0 where the run has fewer than two steps with device work: then the whole of the device counts.
  int64_t cycles = 0;
  Interval time;  // of these, on the run's clock
  std::array<int64_t, kTimeOwners> owned_ns{};

  template <typename Archive>
  void members(Archive& archive) {
    archive(device, cycles, time.begin, time.end, owned_ns);
  }
};

/// The iterations of a device from the first step that launched an op there to the last one.
struct WholeIterations {
  int64_t count = 0;  // 0 where fewer than two steps launched any
  Interval time;      // of these, on the run's clock
};

/// `ops` are those of one device of the run.
WholeIterations whole_iterations(const RunInSession& run, const std::vector<OpIndex>& ops);

/// Of the devices of a run.
std::vector<DeviceCycles> device_cycles(const RunInSession& run);

/// "compute", "copies", or the cause of idle time.
std::string_view text_of_owner(size_t owner);

}  // namespace cgpu
