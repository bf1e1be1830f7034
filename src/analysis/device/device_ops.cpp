#include "analysis/device/device_ops.h"

#include <algorithm>
#include <utility>

#include "model/migrations.h"

namespace cgpu {

namespace {
/// Ops of the same group mostly follow each other, so the last group is tried first.
template <typename Key, typename KeyOf>
std::map<Key, std::vector<OpIndex>> group_ops(const Timeline& timeline, KeyOf key_of) {
  std::map<Key, std::vector<OpIndex>> groups;
  auto last = groups.end();
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex) {
    const Key key = key_of(op);
    if (last == groups.end() || last->first != key) last = groups.try_emplace(key).first;
    last->second.push_back(op);
  });
  return groups;
}
}  // namespace

KernelClass class_of(const Timeline& timeline, OpIndex op) {
  switch (timeline.kind(timeline.device_ops.slice[op])) {
    case SliceKind::memcpy:
      return KernelClass::copy;
    case SliceKind::memset:
      return KernelClass::set;
    default:
      return static_cast<KernelClass>(timeline.device_ops.kernel_class[op]);
  }
}

OpsInFullRun ops_in_full_run(const Session& session, size_t run, std::vector<OpIndex> ops) {
  const auto& part = session.runs[run].part_of;
  if (!part) return {run, session.runs[run].timeline, std::move(ops)};
  for (OpIndex& op : ops) op = part->ops[op];
  return {part->run, session.whole->runs[part->run].timeline, std::move(ops)};
}

std::map<int32_t, std::vector<OpIndex>> ops_by_device(const Timeline& timeline) {
  return group_ops<int32_t>(timeline,
                            [device = timeline.device_ops.device.values()](OpIndex op) { return device[op]; });
}

std::map<StreamId, std::vector<OpIndex>> ops_by_stream(const Timeline& timeline) {
  return group_ops<StreamId>(timeline, [device = timeline.device_ops.device.values(),
                                        stream = timeline.device_ops.stream.values()](OpIndex op) {
    return StreamId{device[op], stream[op]};
  });
}

double share_without_launch(const Session& session) {
  int64_t ops = 0;
  int64_t orphans = 0;
  for (const Run& run : session.runs) {
    for_each_device_op(run.timeline, [&](OpIndex op, SliceIndex) {
      ++ops;
      if (lacks_launch(run.timeline, op)) ++orphans;
    });
  }
  return ops == 0 ? 0 : static_cast<double>(orphans) / static_cast<double>(ops);
}

std::set<int32_t> used_devices(const Run& run) {
  std::set<int32_t> devices;
  if (run.released_totals) devices = run.released_totals->used_devices;
  for_each_device_op(run.timeline, [&](OpIndex op, SliceIndex) { devices.insert(run.timeline.device_ops.device[op]); });
  if (run.launch_metrics) {
    for (const ProfiledLaunch& launch : run.launch_metrics->launches) {
      if (launch.device) devices.insert(*launch.device);
    }
  }
  return devices;
}

std::vector<OpIndex> all_ops(const Timeline& timeline) {
  std::vector<OpIndex> ops;
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex) { ops.push_back(op); });
  return ops;
}

IntervalSet busy_time(const Timeline& timeline, const std::vector<OpIndex>& ops) {
  std::vector<Interval> intervals;
  intervals.reserve(ops.size());
  for (const OpIndex op : ops) {
    const SliceIndex slice = timeline.device_ops.slice[op];
    intervals.push_back({timeline.slices.start[slice], timeline.slices.end(slice)});
  }
  return IntervalSet(std::move(intervals));
}

Interval span_of(const Timeline& timeline, const std::vector<OpIndex>& ops) {
  if (ops.empty()) return {};
  Interval span{INT64_MAX, INT64_MIN};
  for (const OpIndex op : ops) {
    const SliceIndex slice = timeline.device_ops.slice[op];
    span.begin = std::min(span.begin, timeline.slices.start[slice]);
    span.end = std::max(span.end, timeline.slices.end(slice));
  }
  return span;
}

}  // namespace cgpu
