// Which call launched which device op.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Fills Slices::launch of device ops, in this order of trust:
///   1. correlation id: the calls with the op's id; of several (runtime and driver calls share it, ids repeat in
///   another
///      process) the innermost call that can launch and began before the op did;
///   2. for ops without a correlation id: the External id in the same way;
///   3. for ops still without a launch: the launch flow (`ac2g`, `async*`, `HostToDevice`) that ends where the op
///   starts.
/// Ops without a launch are counted in notes (orphan_device_op). Linear, by hashing.
void link_launches(Run& run);

/// Whether a call of this name can start work on a device: launches, copies, memsets, graph launches; not queries,
/// synchronisation, allocation.
bool can_launch(std::string_view call);

}  // namespace cgpu
