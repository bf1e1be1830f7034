#include "report/timeline_strip.h"

#include <algorithm>
#include <cmath>
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
  // (end - begin) * i / buckets without a product that might overflow
  const auto count = static_cast<int64_t>(buckets);
  const auto number = static_cast<int64_t>(i);
  return begin + (end - begin) / count * number + (end - begin) % count * number / count;
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
      row.span = {device.span.begin - run.zero, device.span.end - run.zero};
      row.buckets.assign(buckets, {});
      for (size_t kind = 0; kind < device.active.size(); ++kind) {
        spread(device.active[kind], run.zero, kind, strip, row.buckets);
      }
    }
  }
  return strip;
}

TimelineStrip timeline_strip_of(const Table& rank_activity, size_t most) {
  TimelineStrip strip;
  if (rank_activity.empty()) return strip;
  const auto integers = [&](const char* column) -> const std::vector<int64_t>& {
    return rank_activity.values(rank_activity.column(column)).integers();
  };
  const std::vector<int64_t>& ranks = integers("rank");
  const std::vector<int64_t>& devices = integers("device");
  const std::vector<int64_t>& starts = integers("start_ns");
  const std::vector<int64_t>& lengths = integers("duration_ns");
  const std::array<const std::vector<int64_t>*, 3> times = {&integers("compute_ns"), &integers("exposed_comm_ns"),
                                                            &integers("exposed_memory_ns")};
  strip.begin = INT64_MAX;
  int64_t end = INT64_MIN;
  for (size_t i = 0; i < starts.size(); ++i) {
    strip.begin = std::min(strip.begin, starts[i]);
    end = std::max(end, starts[i] + lengths[i]);
  }
  const int64_t longest = std::max<int64_t>(1, *std::max_element(lengths.begin(), lengths.end()));
  const int64_t of_table = (end - strip.begin + longest - 1) / longest;
  const int64_t together = (of_table + static_cast<int64_t>(most) - 1) / static_cast<int64_t>(most);
  const int64_t length = longest * std::max<int64_t>(1, together);
  const int64_t buckets = (end - strip.begin + length - 1) / length;
  strip.end = strip.begin + buckets * length;

  for (size_t i = 0; i < starts.size(); ++i) {
    if (strip.rows.empty() || strip.rows.back().rank != ranks[i] || strip.rows.back().device != devices[i]) {
      StripRow& row = strip.rows.emplace_back(StripRow{ranks[i], devices[i], {starts[i], starts[i]}, {}});
      row.buckets.assign(static_cast<size_t>(buckets), {});
    }
    StripRow& row = strip.rows.back();
    row.span.end = starts[i] + lengths[i];
    for (int64_t at = starts[i]; at < row.span.end;) {
      const int64_t bucket = (at - strip.begin) / length;
      const int64_t until = std::min(row.span.end, strip.begin + (bucket + 1) * length);
      const double share = static_cast<double>(until - at) / static_cast<double>(lengths[i]);
      for (size_t kind = 0; kind < times.size(); ++kind) {
        row.buckets[static_cast<size_t>(bucket)][kind] += std::llround(share * static_cast<double>((*times[kind])[i]));
      }
      at = until;
    }
  }
  return strip;
}

}  // namespace cgpu
