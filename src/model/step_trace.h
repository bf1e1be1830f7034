// The times of one step on one device as the profiler itself computed them, for comparison with the figures computed
// here. The Ascend profiler writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cgpu {

struct StepTrace {
  int32_t device = -1;               // -1 where the profile does not say: it has one device only
  std::string step;                  // "" where there are no steps
  std::optional<int64_t> computing;  // ns, as the rest
  std::optional<int64_t> communication;
  std::optional<int64_t> not_overlapped;
  std::optional<int64_t> overlapped;
  std::optional<int64_t> free;
};

}  // namespace cgpu
