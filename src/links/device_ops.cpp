#include "links/device_ops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/interval_set.h"
#include "base/lower_median.h"
#include "model/plausible.h"

namespace cgpu {

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

namespace {

constexpr int64_t kWeek = int64_t{7} * 24 * 3600 * 1'000'000'000;
constexpr int64_t kSecond = 1'000'000'000;

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

/// Device ops that begin a second or more before the call that launched them; without a launch those at time 0 with no
/// duration, if all else begins a second later or more.
std::vector<SliceIndex> begun_before_launch(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  std::vector<SliceIndex> early;
  std::vector<SliceIndex> at_zero;
  int64_t launched = 0;
  for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
    const SliceIndex call = launch_of(timeline, op);
    if (call == kNone) {
      if (slices.start[op] == 0 && slices.duration[op] == 0) at_zero.push_back(op);
      return;
    }
    ++launched;
    int64_t ahead = 0;
    if (__builtin_sub_overflow(slices.start[call], slices.start[op], &ahead)) ahead = INT64_MAX;
    if (slices.start[op] < slices.start[call] && ahead >= kSecond) early.push_back(op);
  });
  if (10 * static_cast<int64_t>(early.size()) > launched) early.clear();
  if (at_zero.empty()) return early;
  int64_t first = INT64_MAX;  // of all else
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (slices.start[slice] != 0 || slices.duration[slice] != 0) first = std::min(first, slices.start[slice]);
  }
  if (first >= kSecond && first != INT64_MAX) early.insert(early.end(), at_zero.begin(), at_zero.end());
  return early;
}

/// Whether the ops of a stream behind one of them, in order of their begins, fill nearly all of the time that it lasts.
/// Those that last longer than it themselves do not count.
bool is_filled(const Timeline& timeline, const std::vector<OpIndex>& of_stream, size_t place) {
  constexpr double kNearlyAll = 0.8;
  const Slices& slices = timeline.slices;
  const SliceIndex op = timeline.device_ops.slice[of_stream[place]];
  int64_t begin = slices.start[op];
  int64_t filled = 0;
  for (size_t next = place + 1; next < of_stream.size(); ++next) {
    const SliceIndex other = timeline.device_ops.slice[of_stream[next]];
    if (slices.start[other] >= slices.end(op)) break;
    if (slices.end(other) >= slices.end(op)) continue;
    filled += std::max<int64_t>(slices.end(other) - std::max(slices.start[other], begin), 0);
    begin = std::max(begin, slices.end(other));
  }
  return static_cast<double>(filled) >= kNearlyAll * static_cast<double>(slices.duration[op]);
}

/// The median durations of the ops of a stream, found when they are asked for.
class StreamMedians {
 public:
  StreamMedians(const Timeline& timeline, const std::vector<OpIndex>& of_stream)
      : timeline_(timeline), of_stream_(of_stream) {}

  struct OfName {
    size_t count = 0;
    int64_t median = 0;
  };
  const OfName& of_name(StringId name) {
    const auto [known, is_new] = names_.try_emplace(name);
    if (is_new) known->second = median_where([&](SliceIndex op) { return timeline_.slices.name[op] == name; });
    return known->second;
  }
  int64_t of_all() {
    if (!all_) all_ = median_where([](SliceIndex) { return true; }).median;
    return *all_;
  }

 private:
  template <typename Counts>
  OfName median_where(const Counts& counts) const {
    std::vector<int64_t> durations;
    for (const OpIndex op : of_stream_) {
      const SliceIndex slice = timeline_.device_ops.slice[op];
      if (counts(slice)) durations.push_back(timeline_.slices.duration[slice]);
    }
    const size_t count = durations.size();
    return {count, lower_median(std::move(durations))};
  }

  const Timeline& timeline_;
  const std::vector<OpIndex>& of_stream_;
  std::map<StringId, OfName> names_;
  std::optional<int64_t> all_;
};

/// Device ops during which 1,000 later ops of their stream begin, and which take 100 times as long as the median op of
/// their name in the stream; where the name is too rare to tell, as the median op of all, if the later ones fill nearly
/// all of it. A collective may wait so long for other ranks, on a stream that shows several queues.
std::vector<SliceIndex> lasting_over_others(const Timeline& timeline) {
  constexpr size_t kOthers = 1'000;
  constexpr int64_t kTimesMedian = 100;
  constexpr size_t kRare = 10;
  const Slices& slices = timeline.slices;
  const DeviceOps& ops = timeline.device_ops;
  std::map<std::pair<int32_t, int64_t>, std::vector<OpIndex>> streams;
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex) {
    streams[{ops.device[op], ops.stream[op]}].push_back(op);
  });
  std::vector<SliceIndex> overlong;
  for (auto& [place, of_stream] : streams) {
    const auto start_of = [&](OpIndex op) { return slices.start[ops.slice[op]]; };
    const auto earlier = [&](OpIndex a, OpIndex b) { return start_of(a) < start_of(b); };
    if (!std::is_sorted(of_stream.begin(), of_stream.end(), earlier)) {
      std::sort(of_stream.begin(), of_stream.end(), earlier);
    }
    StreamMedians medians(timeline, of_stream);
    for (size_t i = 0; i + kOthers < of_stream.size(); ++i) {
      const SliceIndex op = ops.slice[of_stream[i]];
      if (start_of(of_stream[i + kOthers]) >= slices.end(op)) continue;
      if (ops.kind[of_stream[i]] == OpKind::communication) continue;
      const int64_t least = slices.duration[op] / kTimesMedian;
      const StreamMedians::OfName& of_name = medians.of_name(slices.name[op]);
      const bool is_rare = of_name.count < kRare;
      if (least > of_name.median || (is_rare && least > medians.of_all() && is_filled(timeline, of_stream, i))) {
        overlong.push_back(op);
      }
    }
  }
  return overlong;
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
  struct Stream {
    int64_t start = INT64_MIN;  // of the last op
    int64_t end = INT64_MIN;    // the latest so far
    int64_t overlaps = 0;
    bool in_order = true;
    std::vector<Interval> ops;  // where they are not in order
  };
  std::map<std::pair<int32_t, int64_t>, Stream> streams;
  const auto add = [](Stream& stream, Interval op) {
    if (op.begin < stream.end) ++stream.overlaps;
    stream.in_order = stream.in_order && op.begin >= stream.start;
    stream.start = op.begin;
    stream.end = std::max(stream.end, op.end);
  };
  const auto interval = [&](size_t op) { return Interval{slices.start[ops.slice[op]], slices.end(ops.slice[op])}; };
  const auto stream_of = [&](size_t op) -> Stream& { return streams[{ops.device[op], ops.stream[op]}]; };
  const auto counts = [&](size_t op) { return is_plausible(run.timeline, ops.slice[op]); };
  for (size_t i = 0; i < ops.size(); ++i) {
    if (counts(i)) add(stream_of(i), interval(i));
  }
  const auto in_order = [](const auto& entry) { return entry.second.in_order; };
  if (!std::all_of(streams.begin(), streams.end(), in_order)) {
    for (size_t i = 0; i < ops.size(); ++i) {
      if (Stream& stream = stream_of(i); counts(i) && !stream.in_order) stream.ops.push_back(interval(i));
    }
  }
  int64_t overlaps = 0;
  for (auto& [place, stream] : streams) {
    if (!stream.in_order) {
      std::vector<Interval> sorted = std::move(stream.ops);
      std::stable_sort(sorted.begin(), sorted.end(),
                       [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
      stream = {};
      for (const Interval& op : sorted) add(stream, op);
    }
    overlaps += stream.overlaps;
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
      slices.flags[i] |= kImplausibleTime;
      ++flagged;
    }
  }
  run.notes.add("implausible_duration", flagged,
                "slices last longer than the recording can have; they are left out of all totals");
}

void flag_impossible_times(Run& run) {
  std::vector<SliceIndex> impossible = begun_before_launch(run.timeline);
  const std::vector<SliceIndex> overlong = lasting_over_others(run.timeline);
  impossible.insert(impossible.end(), overlong.begin(), overlong.end());
  for (const SliceIndex op : impossible) run.timeline.slices.flags[op] |= kImplausibleTime;
  run.notes.add("impossible_time", static_cast<int64_t>(impossible.size()),
                "device ops begin a second or more before their launch, or run over a thousand later ops of their "
                "stream; they are left out of all totals");
}

void drop_implausible_sizes(Run& run) {
  constexpr int64_t kMost = int64_t{1} << 45;
  Timeline& timeline = run.timeline;
  int64_t dropped = 0;
  const auto drop = [&](int64_t& size) {
    if (size <= kMost) return;
    size = -1;
    ++dropped;
  };
  auto& bytes = timeline.device_ops.bytes;
  for (size_t op = 0; op < bytes.size(); ++op) {
    if (bytes[op] <= kMost) continue;
    bytes[op] = -1;
    ++dropped;
  }
  for (Collective& collective : timeline.collectives) {
    drop(collective.elements_in);
    drop(collective.elements_out);
  }
  const auto events = static_cast<int64_t>(std::erase_if(timeline.memory, [](const MemoryEvent& event) {
    return std::max({event.bytes, event.total_allocated, event.total_reserved}) > kMost || event.bytes < -kMost;
  }));
  run.events.memory -= events;
  run.events.skipped += events;
  run.notes.add("implausible_size", dropped + events,
                "copies, collectives and allocations of more than 32 TiB have no size, or were left out");
}

}  // namespace cgpu
