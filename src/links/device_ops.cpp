#include "links/device_ops.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/interval_set.h"

namespace cgpu {

namespace {

constexpr int64_t kWeek = int64_t{7} * 24 * 3600 * 1'000'000'000;
constexpr int64_t kSecond = 1'000'000'000;

OpKind kind_of(KernelClass kernel_class) {
  switch (kernel_class) {
    case KernelClass::copy:
    case KernelClass::set:
      return OpKind::memory;
    case KernelClass::collective:
    case KernelClass::expert_exchange:
    case KernelClass::custom_collective:
      return OpKind::communication;
    default:
      return OpKind::compute;
  }
}

/// How long the profiler recorded, without relying on durations of device ops: from the first start to the last start
/// or end of a host slice.
int64_t recorded_time(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    const bool believed = is_host(timeline.kind(i)) && slices.duration[i] <= kWeek;
    first = std::min(first, slices.start[i]);
    last = std::max(last, believed ? slices.end(i) : slices.start[i]);
  }
  return first < last ? last - first : 0;
}

}  // namespace

void classify_device_ops(Timeline& timeline, const KernelDictionary& dictionary) {
  DeviceOps& ops = timeline.device_ops;
  ops.kind.resize(ops.size());
  ops.kernel_class.resize(ops.size());
  constexpr uint8_t not_asked = UINT8_MAX;
  std::vector<uint8_t> class_of_name(timeline.names.size(), not_asked);
  for (size_t i = 0; i < ops.size(); ++i) {
    const SliceIndex slice = ops.slice[i];
    KernelClass kernel_class = KernelClass::unknown;
    switch (timeline.kind(slice)) {
      case SliceKind::memcpy:
        kernel_class = KernelClass::copy;
        break;
      case SliceKind::memset:
        kernel_class = KernelClass::set;
        break;
      case SliceKind::device_collective:
        kernel_class = KernelClass::collective;
        break;
      default: {
        uint8_t& answer = class_of_name[timeline.slices.name[slice]];
        if (answer == not_asked) answer = static_cast<uint8_t>(dictionary.classify(timeline.name(slice)));
        kernel_class = static_cast<KernelClass>(answer);
      }
    }
    ops.kernel_class[i] = static_cast<uint8_t>(kernel_class);
    ops.kind[i] = kind_of(kernel_class);
    if (timeline.hints.kernels_compute && timeline.kind(slice) == SliceKind::kernel && ops.kind[i] == OpKind::memory) {
      ops.kind[i] = OpKind::compute;
    }
  }
}

void note_overlaps(Run& run) {
  const DeviceOps& ops = run.timeline.device_ops;
  const Slices& slices = run.timeline.slices;
  std::map<std::pair<int32_t, int64_t>, std::vector<Interval>> streams;
  for (size_t i = 0; i < ops.size(); ++i) {
    streams[{ops.device[i], ops.stream[i]}].push_back({slices.start[ops.slice[i]], slices.end(ops.slice[i])});
  }
  const auto earlier = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  int64_t overlaps = 0;
  for (auto& [stream, intervals] : streams) {
    if (!std::is_sorted(intervals.begin(), intervals.end(), earlier)) {
      std::sort(intervals.begin(), intervals.end(), earlier);
    }
    int64_t end = INT64_MIN;
    for (const Interval& interval : intervals) {
      if (interval.begin < end) ++overlaps;
      end = std::max(end, interval.end);
    }
  }
  run.notes.add("overlap_in_stream", overlaps,
                "device ops begin before an earlier op of their stream has ended; all are kept, and busy time counts "
                "each moment once");
}

void flag_implausible_durations(Run& run) {
  Slices& slices = run.timeline.slices;
  // The last op may outlive the recording, hence the second.
  const int64_t limit = std::min(kWeek, recorded_time(run.timeline)) + kSecond;
  int64_t flagged = 0;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    const bool device = is_device_op(run.timeline.kind(i));
    if (slices.duration[i] > (device ? limit : kWeek)) {
      slices.flags[i] |= kImplausibleDuration;
      ++flagged;
    }
  }
  run.notes.add("implausible_duration", flagged,
                "slices last longer than the recording can have; they are left out of all totals");
}

}  // namespace cgpu
