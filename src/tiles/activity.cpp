#include "tiles/activity.h"

#include <algorithm>
#include <utility>

#include "tiles/bytes.h"

namespace cgpu {

CoveredTime::CoveredTime(const IntervalSet& times) : times_(times) {
  covered_.reserve(times_.intervals().size());
  int64_t total = 0;
  for (const Interval& interval : times_.intervals()) {
    covered_.push_back(total);
    total += interval.end - interval.begin;
  }
}

int64_t CoveredTime::before(int64_t time) const {
  const std::vector<Interval>& intervals = times_.intervals();
  const auto after = std::partition_point(intervals.begin(), intervals.end(),
                                          [&](const Interval& interval) { return interval.begin < time; });
  if (after == intervals.begin()) return 0;
  const size_t last = static_cast<size_t>(after - intervals.begin()) - 1;
  return covered_[last] + std::min(time, intervals[last].end) - intervals[last].begin;
}

DeviceTimes::DeviceTimes(const Timeline& timeline, const std::vector<OpIndex>& ops) {
  std::array<std::vector<Interval>, 3> of_kind;
  for (std::vector<Interval>& times : of_kind) times.reserve(ops.size());  // pages that are not used are never touched
  for (const OpIndex op : ops) {
    const SliceIndex slice = timeline.device_ops.slice[op];
    const Interval time{timeline.slices.start[slice], timeline.slices.end(slice)};
    std::vector<Interval>& times = of_kind[static_cast<size_t>(timeline.device_ops.kind[op])];
    if (!times.empty() && times.back().begin <= time.begin && time.begin <= times.back().end) {
      times.back().end = std::max(times.back().end, time.end);  // consecutive kernels overlap or touch
    } else {
      times.push_back(time);
    }
  }
  const auto time_of = [&](OpKind kind) { return IntervalSet(std::move(of_kind[static_cast<size_t>(kind)])); };
  compute = time_of(OpKind::compute);
  const IntervalSet communication = time_of(OpKind::communication);
  exposed_communication = communication.subtract(compute);
  exposed_memory = time_of(OpKind::memory).subtract(compute).subtract(exposed_communication);
}

Activity::Activity(const DeviceTimes& times, int64_t zero)
    : covered_{CoveredTime(times.compute), CoveredTime(times.exposed_communication), CoveredTime(times.exposed_memory)},
      zero_(zero) {}

std::string Activity::tile(const TilePlace& place) const {
  std::string out;
  append_number(out, magic("CGA1"));
  append_number(out, uint32_t{kTileBuckets});
  append_number(out, uint64_t{0});
  const auto on_clock = [&](int bucket) {
    int64_t time = 0;
    return __builtin_add_overflow(place.edge(bucket), zero_, &time) ? INT64_MAX : time;
  };
  const double width = static_cast<double>(int64_t{1} << place.level);
  for (const CoveredTime& covered : covered_) {
    int64_t before = covered.before(on_clock(0));
    for (int bucket = 0; bucket < kTileBuckets; ++bucket) {
      const int64_t after = covered.before(on_clock(bucket + 1));
      append_number(out, static_cast<float>(static_cast<double>(after - before) / width));
      before = after;
    }
  }
  return out;
}

}  // namespace cgpu
