// Table `streams`: what ran on each stream. O(n log n) in the device ops, O(n) where they come sorted.
#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

void append_streams(const RunInSession& run, Table& table) {
  const Timeline& timeline = run.timeline();
  for (const auto& [id, ops] : ops_by_stream(timeline)) {
    const Interval span = span_of(timeline, ops);
    table.append({run.run().rank, int64_t{id.device}, id.stream, static_cast<int64_t>(ops.size()),
                  busy_time(timeline, ops).length(), span.begin, span.end});
  }
}

}  // namespace

Analysis streams_analysis() {
  return {
      .name = "streams",
      .about = "device ops and busy time of each stream",
      .columns = {rank_column(), device_column(), stream_column(), count_column("count", "device ops of the stream"),
                  time_column("busy_ns", "in which any of them runs"),
                  moment_column("first_ns", "first start, from the start of the profile"),
                  moment_column("last_ns", "last end, from the start of the profile")},
      .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
      .fold = fold_of<RowsByRun<append_streams>>};
}

}  // namespace cgpu
