// What limits a measured launch; see docs/definitions/kernels-and-calls.md.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "model/launch_metrics.h"

namespace cgpu {

/// "compute", "memory", "balanced" (both) or "latency" (neither); absent where a share is not known.
inline std::optional<std::string> bound_of(const ProfiledLaunch& launch) {
  constexpr double kIdle = 60;      // below this share of what it could sustain, a unit holds nothing up
  constexpr double kBalanced = 10;  // shares that are closer than this are alike
  if (!launch.compute_pct || !launch.memory_pct) return std::nullopt;
  const double compute = *launch.compute_pct;
  const double memory = *launch.memory_pct;
  if (compute < kIdle && memory < kIdle) return "latency";
  if (std::abs(compute - memory) < kBalanced) return "balanced";
  return compute > memory ? "compute" : "memory";
}

}  // namespace cgpu
