// Which call launched which device op.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Fills Slices::launch of device ops, in this order of trust:
///   1. what the profile says outright;
///   2. correlation id: the calls with the op's id; of several (runtime and driver calls share it, ids repeat in
///      another process) the innermost call that can launch and began before the op did. Where they are of several
///      processes, a launch flow as below has the last word;
///   3. for ops without a correlation id: the External id in the same way;
///   4. for ops still without a launch: the launch flow (`ac2g`, `async*`, `HostToDevice`) that ends where the op
///      starts.
/// Also that of synchronizations (the call that waited, or that gave the wait or the event to a stream) and which call
/// recorded the event that one waits for, by correlation id. Ops without a launch are counted in notes
/// (orphan_device_op). After this the correlation ids are those of the profile. O(n log n), O(n) where ids ascend.
void link_launches(Run& run);

/// Whether a call of this name can start work on a device: launches, copies, memsets, graph launches; not queries,
/// synchronisation, allocation.
bool can_launch(std::string_view call);

}  // namespace cgpu
