// The size of one collective operation, as the profile says it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "model/element_types.h"
#include "model/timeline.h"

namespace cgpu {

/// Elements times their size, of the larger of input and output; absent where the profile lacks one of them. `record`
/// may be null.
inline std::optional<int64_t> bytes_of_collective(const Timeline& timeline, const Collective* record) {
  if (record == nullptr) return {};
  const int64_t elements = std::max(record->elements_in, record->elements_out);
  const std::optional<int64_t> size = element_size(timeline.names[record->type]);
  if (elements < 0 || !size) return {};
  return elements * *size;
}

}  // namespace cgpu
