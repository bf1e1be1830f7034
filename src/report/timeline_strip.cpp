#include "report/timeline_strip.h"

#include <algorithm>
#include <optional>

#include "analysis/device/device_ops.h"
#include "analysis/session_clock.h"

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

TimelineStrip make_timeline_strip(const Session& session, size_t buckets) {
  TimelineStrip strip;
  const std::vector<int64_t> zeros = time_zeros(session);
  std::optional<Interval> whole;
  for (size_t r = 0; r < session.runs.size(); ++r) {
    for (const auto& [device, ops] : ops_by_device(session.runs[r].timeline)) {
      const Interval span = span_of(session.runs[r].timeline, ops);
      const Interval shifted{span.begin - zeros[r], span.end - zeros[r]};
      whole = whole ? Interval{std::min(whole->begin, shifted.begin), std::max(whole->end, shifted.end)} : shifted;
    }
  }
  if (!whole) return strip;
  strip.begin = whole->begin;
  strip.end = whole->end;

  for (size_t r = 0; r < session.runs.size(); ++r) {
    const Timeline& timeline = session.runs[r].timeline;
    for (const auto& [device, ops] : ops_by_device(timeline)) {
      std::array<std::vector<OpIndex>, 3> of_kind;
      for (const OpIndex op : ops) of_kind[static_cast<size_t>(timeline.device_ops.kind[op])].push_back(op);
      const auto time_of = [&](OpKind kind) { return busy_time(timeline, of_kind[static_cast<size_t>(kind)]); };
      const IntervalSet compute = time_of(OpKind::compute);
      const IntervalSet communication = time_of(OpKind::communication);

      StripRow& row = strip.rows.emplace_back();
      row.rank = session.runs[r].rank;
      row.device = device;
      row.buckets.assign(buckets, {});
      spread(compute, zeros[r], 0, strip, row.buckets);
      spread(communication.subtract(compute), zeros[r], 1, strip, row.buckets);
      spread(time_of(OpKind::memory).subtract(compute.unite(communication)), zeros[r], 2, strip, row.buckets);
    }
  }
  return strip;
}

}  // namespace cgpu
