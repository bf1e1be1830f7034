// Table `range_trace`: annotations one by one, with what ran on the device for them. O(n log n + m d) for n slices and
// m device ops under d nested annotations; some 60 bytes an annotation.
#include <algorithm>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/events/event_trace.h"
#include "analysis/host/ranges_above.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// An annotation and what it contains.
struct Range {
  SliceIndex slice = kNone;
  uint32_t depth = 0;
  int64_t children = 0;
  int64_t child_ns = 0;
  int64_t device_ops = 0;
  int64_t device_begin = INT64_MAX;
  int64_t device_end = INT64_MIN;
};

/// In file order.
std::vector<Range> ranges_of(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  const std::vector<SliceIndex> above = ranges_above(timeline);
  std::vector<Range> ranges;
  std::vector<uint32_t> number(slices.size(), kNone);  // by slice: of the range
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_range(timeline, slice)) continue;
    number[slice] = static_cast<uint32_t>(ranges.size());
    ranges.push_back({.slice = slice});
  }
  for (Range& range : ranges) {
    for (SliceIndex at = above[range.slice]; at != kNone; at = above[at]) ++range.depth;
    if (range.depth == 0) continue;
    Range& parent = ranges[number[above[range.slice]]];
    ++parent.children;
    parent.child_ns += slices.duration[range.slice];
  }
  for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
    if (slices.launch[op] == kNone) return;
    for (SliceIndex at = above[slices.launch[op]]; at != kNone; at = above[at]) {
      Range& range = ranges[number[at]];
      ++range.device_ops;
      range.device_begin = std::min(range.device_begin, slices.start[op]);
      range.device_end = std::max(range.device_end, slices.end(op));
    }
  });
  return ranges;
}

class RangeTrace final : public EventTrace {
 public:
  explicit RangeTrace(const SessionFacts& facts) : EventTrace(facts) {
    for (size_t run = 0; run < runs(); ++run) {
      ranges_.push_back(ranges_of(timeline(run)));
      for (size_t number = 0; number < ranges_[run].size(); ++number) add(run, number);
    }
    order_by_start([&](EventPlace range) { return timeline(range.run).slices.start[at(range).slice]; });
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            moment_column("start_ns", "from the start of the profile"),
            time_column("duration_ns", "length on the host"),
            key_column("name", "text of the annotation"),
            number_column("depth", "annotations around it"),
            count_column("children", "annotations directly in it"),
            time_column("child_ns", "sum of their durations"),
            time_column("self_ns", "duration without these"),
            count_column("device_ops", "device ops launched inside"),
            moment_column("device_start_ns", "first start of these, from the start of the profile; absent for none"),
            time_column("device_ns", "from there to their last end; absent for none"),
            text_column("process", "process, as the profile says"),
            text_column("thread", "thread"),
            slice_column("its")};
  }

 private:
  enum : size_t {
    kRank,
    kStart,
    kDuration,
    kName,
    kDepth,
    kChildren,
    kChildTime,
    kSelfTime,
    kDeviceOps,
    kDeviceStart,
    kDeviceTime,
    kProcess,
    kThread
  };

  const Range& at(EventPlace range) const { return ranges_[range.run][range.event]; }
  EventPlaces slices_of(const EventPlaces& ranges) const {
    EventPlaces slices;
    slices.reserve(ranges.size());
    for (const EventPlace range : ranges) slices.push_back({range.run, at(range).slice});
    return slices;
  }

  ColumnValues values_at(size_t column, const EventPlaces& ranges) const override {
    switch (column) {
      case kRank:
        return columns().rank(ranges);
      case kStart:
        return columns().start(slices_of(ranges));
      case kDuration:
        return columns().duration(slices_of(ranges));
      case kName:
        return columns().name(slices_of(ranges));
      case kDepth:
        return integer_values(ranges, [&](EventPlace range) { return at(range).depth; });
      case kChildren:
        return integer_values(ranges, [&](EventPlace range) { return at(range).children; });
      case kChildTime:
        return integer_values(ranges, [&](EventPlace range) { return at(range).child_ns; });
      case kSelfTime:
        return integer_values(ranges, [&](EventPlace range) {
          return timeline(range.run).slices.duration[at(range).slice] - at(range).child_ns;
        });
      case kDeviceOps:
        return integer_values(ranges, [&](EventPlace range) { return at(range).device_ops; });
      case kDeviceStart:
        return integer_values(ranges, [&](EventPlace range) -> std::optional<int64_t> {
          if (at(range).device_ops == 0) return std::nullopt;
          return at(range).device_begin - columns().zero(range.run);
        });
      case kDeviceTime:
        return integer_values(ranges, [&](EventPlace range) -> std::optional<int64_t> {
          if (at(range).device_ops == 0) return std::nullopt;
          return at(range).device_end - at(range).device_begin;
        });
      case kProcess:
        return columns().process(slices_of(ranges));
      case kThread:
        return columns().thread(slices_of(ranges));
      default:
        return columns().number(slices_of(ranges));
    }
  }

  std::vector<std::vector<Range>> ranges_;  // by run
};

}  // namespace

Analysis range_trace_analysis() {
  return {.name = "range_trace",
          .about = "every annotation of the host, in order of time, and what ran on the device for it",
          .aliases = {"nvtx_pushpop_trace", "nvtxpptrace", "nvtx_gpu_proj_trace", "nvtxgpuproj"},
          .columns = RangeTrace::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.ranges() > 0; },
          .events = [](const Analysis&, const SessionFacts& facts, const TableOptions&) -> std::unique_ptr<EventTable> {
            return std::make_unique<RangeTrace>(facts);
          }};
}

}  // namespace cgpu
