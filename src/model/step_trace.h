// What a profiler computed itself of one step of one device, to hold our own figures against. Ascend writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cgpu {

struct StepTrace {
  int32_t device = -1;               // -1 where the profile does not say: it is of one device
  std::string step;                  // "" where there are no steps
  std::optional<int64_t> computing;  // ns, as the rest
  std::optional<int64_t> communication;
  std::optional<int64_t> not_overlapped;
  std::optional<int64_t> overlapped;
  std::optional<int64_t> free;
};

}  // namespace cgpu
