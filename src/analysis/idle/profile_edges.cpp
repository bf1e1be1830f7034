#include "analysis/idle/profile_edges.h"

#include <algorithm>
#include <map>
#include <string>

#include "analysis/idle/idle_causes.h"
#include "links/waiting_calls.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

/// The first op of a stream, where it was queued and did not begin.
struct QueuedOp {
  SliceIndex op = kNone;
  int32_t device = 0;
  int64_t since = 0;  // when its launch had returned
};

}  // namespace

ProfileEdges::ProfileEdges(const Timeline& timeline) : timeline_(timeline), until_(timeline.tracks.size(), INT64_MIN) {
  const Slices& slices = timeline.slices;
  std::map<std::string, int64_t> drained;  // by process: when a first wait for a stream or device returned
  std::vector<int8_t> drains(timeline.names.size(), -1);  // by name; -1: not asked
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    const SliceKind kind = timeline.kind(slice);
    if (!is_host(kind) || !is_plausible(timeline, slice)) continue;
    recorded_ = {std::min(recorded_.begin, slices.start[slice]), std::max(recorded_.end, slices.end(slice))};
    if (!is_call(kind) || slices.track[slice] == kNone) continue;
    int8_t& answer = drains[slices.name[slice]];
    if (answer < 0) {
      const Awaited awaited = awaited_by(timeline.name(slice));
      answer = awaited == Awaited::stream || awaited == Awaited::device ? 1 : 0;
    }
    if (answer == 0) continue;
    const auto at = drained.try_emplace(timeline.tracks[slices.track[slice]].process, INT64_MAX).first;
    at->second = std::min(at->second, slices.end(slice));
  }

  std::map<TrackIndex, QueuedOp> first;  // by stream
  for_each_device_op(timeline, [&](OpIndex number, SliceIndex op) {
    if (slices.track[op] == kNone) return;
    const auto [at, is_new] = first.try_emplace(slices.track[op]);
    if (!is_new && slices.start[at->second.op] <= slices.start[op]) return;
    at->second = {op, timeline.device_ops.device[number], 0};
  });
  std::vector<QueuedOp> queued;
  int64_t latest = INT64_MIN;
  for (const auto& [stream, each] : first) {
    const SliceIndex launch = launch_of(timeline, each.op);
    if (launch == kNone || slices.track[launch] == kNone) continue;
    if (slices.start[each.op] - slices.end(launch) < kLongestStart) continue;
    const auto waited = drained.find(timeline.tracks[slices.track[launch]].process);
    if (waited != drained.end() && slices.end(launch) >= waited->second) continue;  // nothing was left then
    queued.push_back({each.op, each.device, slices.end(launch)});
    latest = std::max(latest, slices.start[each.op]);
  }
  // What ran meanwhile on the device may be what it waited for.
  for_each_device_op(timeline, [&](OpIndex number, SliceIndex op) {
    if (slices.start[op] >= latest) return;
    std::erase_if(queued, [&](const QueuedOp& each) {
      return each.device == timeline.device_ops.device[number] && slices.start[op] < slices.start[each.op] &&
             slices.end(op) > each.since;
    });
  });
  for (const QueuedOp& each : queued) until_[slices.track[each.op]] = slices.start[each.op];
}

bool ProfileEdges::holds(Interval wait, SliceIndex op) const {
  const TrackIndex stream = timeline_.slices.track[op];
  if (stream != kNone && wait.end <= until_[stream]) return true;
  if (launch_of(timeline_, op) != kNone || recorded_.begin > recorded_.end) return false;
  return wait.end <= recorded_.begin || wait.begin >= recorded_.end;
}

}  // namespace cgpu
