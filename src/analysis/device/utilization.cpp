// Table `utilization`: gpu_time over time, in buckets of equal length. O(n log n) in the device ops of a device, O(n)
// where they come sorted, and the buckets.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/device/device_time.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

TableOption buckets_option() {
  TableOption option{"buckets", TableOption::Kind::number, "100",
                     "Table utilization: into how many buckets the time of each device is cut (default 100)"};
  option.most = 1e6;
  return option;
}

/// How much of each bucket a set covers; bucket i is from bounds[i] to bounds[i + 1].
std::vector<int64_t> covered_in(const std::vector<int64_t>& bounds, const IntervalSet& set) {
  std::vector<int64_t> covered(bounds.size() - 1, 0);
  size_t bucket = 0;
  for (Interval part : set.intervals()) {
    while (part.begin < part.end && bucket < covered.size()) {
      if (bounds[bucket + 1] <= part.begin) {
        ++bucket;
        continue;
      }
      const int64_t end = std::min(part.end, bounds[bucket + 1]);
      covered[bucket] += end - part.begin;
      part.begin = end;
    }
  }
  return covered;
}

/// Bounds of equal distance to the nanosecond; fewer buckets where the span has not as many nanoseconds.
std::vector<int64_t> bounds_of(const Interval& span, int64_t buckets) {
  const int64_t length = span.end - span.begin;
  const int64_t count = std::clamp<int64_t>(buckets, 1, std::max<int64_t>(1, length));
  std::vector<int64_t> bounds;
  for (int64_t i = 0; i <= count; ++i) {
    // length / count * i without its rounding error, which no product that might overflow is needed for
    bounds.push_back(span.begin + length / count * i + length % count * i / count);
  }
  return bounds;
}

void append_buckets(const RunInSession& run, const TableOptions& options, Table& table) {
  const auto wanted = static_cast<int64_t>(options.number(buckets_option()));
  const Timeline& timeline = run.timeline();
  for (const auto& [device, ops] : ops_by_device(timeline)) {
    const DeviceTime time = device_time(timeline, ops);
    const std::vector<int64_t> bounds = bounds_of(time.span, wanted);
    const std::array columns = {covered_in(bounds, time.busy),
                                covered_in(bounds, time.compute),
                                covered_in(bounds, time.communication),
                                covered_in(bounds, time.memory),
                                covered_in(bounds, time.exposed_communication),
                                covered_in(bounds, time.exposed_memory)};
    for (size_t bucket = 0; bucket + 1 < bounds.size(); ++bucket) {
      const int64_t length = bounds[bucket + 1] - bounds[bucket];
      Row row = {run.run().rank, int64_t{device}, static_cast<int64_t>(bucket), bounds[bucket], length};
      for (const std::vector<int64_t>& column : columns) row.emplace_back(column[bucket]);
      row.emplace_back(length - columns[0][bucket]);
      row.push_back(percent_of(columns[0][bucket], length));
      table.append(row);
    }
  }
}

}  // namespace

Analysis utilization_analysis() {
  return {.name = "utilization",
          .about =
              "busy and idle time of each device over time, in buckets of equal length; the buckets of a device add up "
              "to gpu_time",
          .columns = {rank_column(), device_column(), number_column("bucket", "number of the bucket, from 0"),
                      moment_column("start_ns", "where the bucket begins"),
                      time_column("duration_ns", "length of the bucket"),
                      time_column("busy_ns", "in which any device op runs"),
                      time_column("compute_ns", "in which compute runs"),
                      time_column("comm_ns", "in which communication runs"),
                      time_column("memory_ns", "in which copies or memsets run"),
                      time_column("exposed_comm_ns", "in which communication runs and no compute"),
                      time_column("exposed_memory_ns",
                                  "in which copies or memsets run and neither compute nor communication"),
                      time_column("idle_ns", "in which no device op runs"),
                      real_column("busy_pct", "%", "share of busy_ns in duration_ns")},
          .options = {buckets_option()},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .fold = fold_of<RowsByRun<append_buckets>>};
}

}  // namespace cgpu
