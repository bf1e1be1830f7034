// Pages of managed (unified) memory that move between host and device.
#pragma once

#include "model/timeline.h"

namespace cgpu {

/// Whether a copy moves pages because they were touched or prefetched. No call launches it.
inline bool is_migration(CopyKind kind) {
  return kind == CopyKind::uvm_HtoD || kind == CopyKind::uvm_DtoH;
}

}  // namespace cgpu
