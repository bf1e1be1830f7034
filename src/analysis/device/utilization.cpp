// Tables `utilization` and `stream_utilization`: gpu_time and streams over time, in buckets of equal length. O(n log n)
// in the device ops of a device, O(n) where they come sorted, and the buckets.
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/common/buckets.h"
#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/device/device_time.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

void append_buckets(const RunInSession& run, const TableOptions& options, Table& table) {
  const Timeline& timeline = run.timeline();
  const auto devices = ops_by_device(timeline);
  const int64_t wanted = bucket_count(options, devices.size());
  for (const auto& [device, ops] : devices) {
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

/// Of each stream, in the buckets of its device, so that streams are beside each other.
void append_stream_buckets(const RunInSession& run, const TableOptions& options, Table& table) {
  const Timeline& timeline = run.timeline();
  const auto streams = ops_by_stream(timeline);
  const int64_t wanted = bucket_count(options, streams.size());
  std::map<int32_t, std::vector<int64_t>> bounds_of_device;
  for (const auto& [device, ops] : ops_by_device(timeline)) {
    bounds_of_device[device] = bounds_of(span_of(timeline, ops), wanted);
  }
  for (const auto& [id, ops] : streams) {
    const std::vector<int64_t>& bounds = bounds_of_device[id.device];
    const DeviceTime time = device_time(timeline, ops);
    const std::array columns = {covered_in(bounds, time.busy), covered_in(bounds, time.compute),
                                covered_in(bounds, time.communication), covered_in(bounds, time.memory)};
    for (size_t bucket = 0; bucket + 1 < bounds.size(); ++bucket) {
      const int64_t length = bounds[bucket + 1] - bounds[bucket];
      Row row = {run.run().rank, int64_t{id.device}, id.stream, static_cast<int64_t>(bucket), bounds[bucket], length};
      for (const std::vector<int64_t>& column : columns) row.emplace_back(column[bucket]);
      row.push_back(percent_of(columns[0][bucket], length));
      table.append(row);
    }
  }
}

}  // namespace

Analysis stream_utilization_analysis() {
  return {.name = "stream_utilization",
          .about =
              "busy time of every stream over time, in the buckets of its device; the buckets of a stream add up to "
              "streams",
          .columns = {rank_column(), device_column(), stream_column(),
                      number_column("bucket", "number of the bucket, from 0"),
                      moment_column("start_ns", "where the bucket begins"),
                      time_column("duration_ns", "length of the bucket"),
                      time_column("busy_ns", "in which any device op of the stream runs"),
                      time_column("compute_ns", "in which compute runs"),
                      time_column("comm_ns", "in which communication runs"),
                      time_column("memory_ns", "in which copies or memsets run"),
                      real_column("busy_pct", "%", "share of busy_ns in duration_ns")},
          .options = {buckets_option()},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .fold = fold_of<RowsByRun<append_stream_buckets>>};
}

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
