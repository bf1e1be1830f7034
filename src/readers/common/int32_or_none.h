// Numbers of devices and sizes of groups as profiles say them, which the model keeps in 32 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace cgpu {

/// -1, none, also for a number that needs more bits: its lowest 32 would be the number of something else.
inline int32_t int32_or_none(std::optional<int64_t> number) {
  return number && std::in_range<int32_t>(*number) ? static_cast<int32_t>(*number) : -1;
}

}  // namespace cgpu
