#include "analysis/host/launch_calls.h"

#include <algorithm>
#include <map>

#include "model/migrations.h"

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

TrackIndex thread_of_migrations(const Timeline& timeline, const std::vector<OpIndex>& ops) {
  const auto& copy = timeline.device_ops.copy;
  if (std::ranges::none_of(ops, [&](OpIndex op) { return is_migration(copy[op]); })) return kNone;
  std::map<TrackIndex, int64_t> launched;
  for (const OpIndex op : ops) {
    const SliceIndex call = launch_of(timeline, timeline.device_ops.slice[op]);
    if (call != kNone) ++launched[timeline.slices.track[call]];
  }
  const auto most = std::ranges::max_element(launched, {}, [](const auto& thread) { return thread.second; });
  return most == launched.end() ? kNone : most->first;
}

}  // namespace cgpu
