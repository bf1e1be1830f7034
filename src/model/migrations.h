// Pages of managed (unified) memory that move between host and device.
#pragma once

#include "model/plausible.h"
#include "model/timeline.h"

namespace cgpu {

/// Whether a copy moves pages because they were touched or prefetched. No call launches it.
inline bool is_migration(CopyKind kind) {
  return kind == CopyKind::uvm_HtoD || kind == CopyKind::uvm_DtoH;
}

/// Whether the call that launched a device op is not in the profile; pages that move have none.
inline bool lacks_launch(const Timeline& timeline, OpIndex op) {
  const DeviceOps& ops = timeline.device_ops;
  return timeline.slices.launch[ops.slice[op]] == kNone && !is_migration(ops.copy[op]);
}

}  // namespace cgpu
