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
  int64_t start = INT64_MAX;
};

/// By process: when a first wait for a stream or device returned, or a first call that created the context, which takes
/// long: a process that does so in the recording had begun nothing before it.
std::map<std::string, int64_t> drained_by_process(const Timeline& timeline) {
  constexpr int64_t kContext = 10'000'000;  // ns
  const Slices& slices = timeline.slices;
  std::vector<uint8_t> drains(timeline.names.size());
  for (StringId name = 0; name < drains.size(); ++name) {
    const Awaited awaited = awaited_by(timeline.names[name]);
    drains[name] = awaited == Awaited::stream || awaited == Awaited::device ? 1 : 0;
  }
  std::map<std::string, int64_t> drained;
  std::map<std::string, SliceIndex> first;  // call
  const auto names = slices.name.values();
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_call(timeline.kind(slice)) || slices.track[slice] == kNone || !is_plausible(timeline, slice)) continue;
    const std::string& process = timeline.tracks[slices.track[slice]].process;
    const auto [earliest, is_new] = first.try_emplace(process, slice);
    if (!is_new && slices.start[slice] < slices.start[earliest->second]) earliest->second = slice;
    if (drains[names[slice]] == 0) continue;
    const auto at = drained.try_emplace(process, INT64_MAX).first;
    at->second = std::min(at->second, slices.end(slice));
  }
  for (const auto& [process, call] : first) {
    const Awaited awaited = awaited_by(timeline.name(call));
    const bool may_create = awaited == Awaited::nothing || awaited == Awaited::released;
    if (slices.duration[call] < kContext || !may_create) continue;
    const auto at = drained.try_emplace(process, INT64_MAX).first;
    at->second = std::min(at->second, slices.end(call));
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
  std::vector<FirstOp> queued(timeline.tracks.size());  // by stream; what has other reasons to begin late is taken out
  const auto tracks = slices.track.values();
  for_each_device_op(timeline, [&](OpIndex number, SliceIndex op) {
    if (tracks[op] == kNone) return;
    FirstOp& first = queued[tracks[op]];
    if (first.op != kNone && first.start <= slices.start[op]) return;
    first = {op, timeline.device_ops.device[number], slices.start[op]};
  });
  std::erase_if(queued, [&](const FirstOp& first) {  // it began when it was launched
    const SliceIndex launch = first.op == kNone ? kNone : launch_of(timeline, first.op);
    if (launch == kNone || slices.track[launch] == kNone) return true;
    return first.start - slices.end(launch) < kLongestStart;
  });
  if (queued.empty()) return;
  const std::map<std::string, int64_t> drained = drained_by_process(timeline);
  std::erase_if(queued, [&](const FirstOp& first) {  // nothing from before the recording was left
    const SliceIndex launch = launch_of(timeline, first.op);
    const auto waited = drained.find(timeline.tracks[slices.track[launch]].process);
    return waited != drained.end() && slices.end(launch) >= waited->second;
  });
  if (queued.empty()) return;
  int64_t latest = INT64_MIN;
  for (const FirstOp& first : queued) latest = std::max(latest, first.start);
  // What ran meanwhile on the device may be what it waited for.
  for_each_device_op(timeline, [&](OpIndex number, SliceIndex op) {
    if (slices.start[op] >= latest) return;
    std::erase_if(queued, [&](const FirstOp& first) {
      return first.device == timeline.device_ops.device[number] && slices.start[op] < first.start &&
             slices.end(op) > slices.end(launch_of(timeline, first.op));
    });
  });
  for (const FirstOp& first : queued) until_[slices.track[first.op]] = first.start;
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
