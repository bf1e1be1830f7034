// Which call launched which device op.
#pragma once

#include "model/run.h"

namespace cgpu {

/// Fills Slices::launch of device ops, by the first of these that applies:
///   1. the launch call that the profile names;
///   2. the correlation id: of the calls with the op's id (runtime and driver calls share one, and ids repeat in other
///      processes) the innermost that can launch and began before the op. Where the calls are of several processes, a
///      launch flow as below decides;
///   3. for ops without a correlation id, the External id in the same way;
///   4. the launch flow (`ac2g`, `async*`, `HostToDevice`) that ends where the op starts.
/// Also fills, by correlation id, the launch of synchronizations (the call that waited, or that submitted the wait or
/// the event to a stream) and the call that recorded the event that one waits for. Ops without a launch are counted in
/// notes (orphan_device_op). Afterwards correlation ids are as in the profile. O(n log n), O(n) where ids ascend.
void link_launches(Run& run);

/// Drops the External ids by which no device op can be joined. O(n log n) in those that are needed, else O(n).
void drop_unused_external_ids(Timeline& timeline);

/// Whether a call of this name can start work on a device: kernel and graph launches, copies and memsets, but not
/// queries, synchronisation or allocation.
bool can_launch(std::string_view call);

}  // namespace cgpu
