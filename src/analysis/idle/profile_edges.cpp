#include "analysis/idle/profile_edges.h"

#include <algorithm>
#include <map>
#include <string>

#include "analysis/idle/idle_causes.h"
#include "links/waiting_calls.h"
#include "model/plausible.h"

namespace cgpu {

namespace {

/// The first op of a stream.
struct FirstOp {
  SliceIndex op = kNone;
  int32_t device = 0;
};

/// One that was queued and did not begin.
struct QueuedOp {
  SliceIndex op = kNone;
  int32_t device = 0;
  int64_t since = 0;  // when its launch had returned
};

/// By process: when a first wait for a stream or device returned.
std::map<std::string, int64_t> drained_by_process(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  std::vector<bool> drains(timeline.names.size());
  for (StringId name = 0; name < drains.size(); ++name) {
    const Awaited awaited = awaited_by(timeline.names[name]);
    drains[name] = awaited == Awaited::stream || awaited == Awaited::device;
  }
  std::map<std::string, int64_t> drained;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!drains[slices.name[slice]] || !is_call(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
    if (slices.track[slice] == kNone) continue;
    const auto at = drained.try_emplace(timeline.tracks[slices.track[slice]].process, INT64_MAX).first;
    at->second = std::min(at->second, slices.end(slice));
  }
  return drained;
}

/// From the first begin to the last end of what is recorded of the host.
Interval recorded_of_host(const Timeline& timeline) {
  Interval recorded{INT64_MAX, INT64_MIN};
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
    if (!is_host(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
    recorded = {std::min(recorded.begin, timeline.slices.start[slice]),
                std::max(recorded.end, timeline.slices.end(slice))};
  }
  return recorded;
}

}  // namespace

ProfileEdges::ProfileEdges(const Timeline& timeline) : timeline_(timeline), until_(timeline.tracks.size(), INT64_MIN) {
  const Slices& slices = timeline.slices;
  std::vector<FirstOp> first(timeline.tracks.size());  // by stream
  for_each_device_op(timeline, [&](OpIndex number, SliceIndex op) {
    if (slices.track[op] == kNone) return;
    FirstOp& of_stream = first[slices.track[op]];
    if (of_stream.op != kNone && slices.start[of_stream.op] <= slices.start[op]) return;
    of_stream = {op, timeline.device_ops.device[number]};
  });
  std::erase_if(first, [&](const FirstOp& each) {  // those that began when they were launched
    const SliceIndex launch = each.op == kNone ? kNone : launch_of(timeline, each.op);
    if (launch == kNone || slices.track[launch] == kNone) return true;
    return slices.start[each.op] - slices.end(launch) < kLongestStart;
  });
  if (first.empty()) return;
  const std::map<std::string, int64_t> drained = drained_by_process(timeline);
  std::vector<QueuedOp> queued;
  int64_t latest = INT64_MIN;
  for (const FirstOp& each : first) {
    const SliceIndex launch = launch_of(timeline, each.op);
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
  if (launch_of(timeline_, op) != kNone) return false;
  const Interval& recorded = recorded_.get([&] { return recorded_of_host(timeline_); });
  if (recorded.begin > recorded.end) return false;
  return wait.end <= recorded.begin || wait.begin >= recorded.end;
}

}  // namespace cgpu
