// What each device did over time, in as many buckets as a picture has columns.
//
// O(n log n) in the device ops, O(n) where they come sorted, besides the buckets. The slow way it equals: mark every
// nanosecond of a device with the kind it counts for (docs/definitions/device-time.md) and count the marks of each
// bucket.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "report/run_history.h"
#include "table/table.h"

namespace cgpu {

/// Nanoseconds of a bucket in compute, exposed communication and exposed memory; the rest of it is idle.
using StripBucket = std::array<int64_t, 3>;

struct StripRow {
  int64_t rank = 0;
  int64_t device = 0;
  Interval span;  // of its ops
  std::vector<StripBucket> buckets;
};

/// Times count from the start of the session, as in the tables (analysis/session_clock.h).
struct TimelineStrip {
  int64_t begin = 0;
  int64_t end = 0;  // == begin where no device op has a duration
  std::vector<StripRow> rows;

  /// Where bucket i begins; that of the last but one is `end`.
  int64_t border(size_t i, size_t buckets) const;
};

TimelineStrip make_timeline_strip(const std::vector<RunHistory>& runs, size_t buckets);
/// The same of table `rank_activity`, as far as its buckets tell: what one of them holds is taken as spread evenly over
/// it. A bucket of the picture is as long as one of the table, or as several where there would be more than `most`; the
/// last one may end after all devices.
TimelineStrip timeline_strip_of(const Table& rank_activity, size_t most);

}  // namespace cgpu
