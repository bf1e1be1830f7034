// The peak of the memory of devices, of the table `memory`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "table/table.h"

namespace cgpu {

/// Bytes allocated at most on the device that needs most, over all ranks; the host does not count. Absent where the
/// profile does not say. `memory` has the columns of the table of that name.
inline std::optional<int64_t> peak_of_devices(const Table& memory) {
  std::optional<int64_t> most;
  if (memory.empty()) return most;
  for (const RowView row : memory.rows()) {
    const Cell peak = row[memory.column("peak_allocated_bytes")];
    const bool is_host = std::get<int64_t>(row[memory.column("device")]) < 0;
    if (is_host || !std::holds_alternative<int64_t>(peak)) continue;
    most = std::max(most.value_or(0), std::get<int64_t>(peak));
  }
  return most;
}

}  // namespace cgpu
