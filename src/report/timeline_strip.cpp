#include "report/timeline_strip.h"

#include <algorithm>
#include <optional>

namespace cgpu {

namespace {

/// Adds the time of `set`, shifted by -zero, to the buckets that it falls into.
void spread(const IntervalSet& set, int64_t zero, size_t kind, const TimelineStrip& strip,
            std::vector<StripBucket>& buckets) {
  size_t at = 0;  // intervals come sorted, so buckets are passed once
  for (const Interval& interval : set.intervals()) {
    int64_t begin = interval.begin - zero;
    const int64_t end = interval.end - zero;
    while (at + 1 < buckets.size() && strip.border(at + 1, buckets.size()) <= begin) ++at;
    for (size_t bucket = at; begin < end && bucket < buckets.size(); ++bucket) {
      const int64_t until = std::min(end, strip.border(bucket + 1, buckets.size()));
      if (until > begin) buckets[bucket][kind] += until - begin;
      begin = std::max(begin, until);
    }
  }
}

}  // namespace

int64_t TimelineStrip::border(size_t i, size_t buckets) const {
  if (i >= buckets) return end;
  const long double share = static_cast<long double>(i) / static_cast<long double>(buckets);
  return begin + static_cast<int64_t>(share * static_cast<long double>(end - begin));
}

TimelineStrip make_timeline_strip(const std::vector<RunHistory>& runs, size_t buckets) {
  TimelineStrip strip;
  std::optional<Interval> whole;
  for (const RunHistory& run : runs) {
    for (const DeviceHistory& device : run.devices) {
      const Interval shifted{device.span.begin - run.zero, device.span.end - run.zero};
      whole = whole ? Interval{std::min(whole->begin, shifted.begin), std::max(whole->end, shifted.end)} : shifted;
    }
  }
  if (!whole) return strip;
  strip.begin = whole->begin;
  strip.end = whole->end;

  for (const RunHistory& run : runs) {
    for (const DeviceHistory& device : run.devices) {
      StripRow& row = strip.rows.emplace_back();
      row.rank = run.rank;
      row.device = device.device;
      row.buckets.assign(buckets, {});
      for (size_t kind = 0; kind < device.active.size(); ++kind) {
        spread(device.active[kind], run.zero, kind, strip, row.buckets);
      }
    }
  }
  return strip;
}

}  // namespace cgpu
