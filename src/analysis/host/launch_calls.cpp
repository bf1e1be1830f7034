#include "analysis/host/launch_calls.h"

namespace cgpu {

std::vector<LaunchingCall> launching_calls(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  std::vector<OpIndex> first_op(slices.size(), kNone);
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    const SliceIndex call = launch_of(timeline, slice);
    if (call == kNone) return;
    OpIndex& first = first_op[call];
    if (first == kNone || slices.start[slice] < slices.start[timeline.device_ops.slice[first]]) first = op;
  });
  std::vector<LaunchingCall> calls;
  for (SliceIndex call = 0; call < slices.size(); ++call) {
    if (first_op[call] != kNone) calls.push_back({call, first_op[call]});
  }
  return calls;
}

}  // namespace cgpu
