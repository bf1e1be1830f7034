// Table `gpu_time`: the span of each device, split without remainder. O(n log n) in the device ops, O(n) where they
// come sorted. The test compares it with marking every nanosecond of a device with the kinds of the ops that run in it.
#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/device/device_time.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

void append_devices(const RunInSession& run, Table& table) {
  const Timeline& timeline = run.timeline();
  for (const auto& [device, ops] : ops_by_device(timeline)) {
    const DeviceTime time = device_time(timeline, ops);
    const int64_t span_ns = time.span.end - time.span.begin;
    const int64_t busy_ns = time.busy.length();
    const int64_t comm_ns = time.communication.length();
    const int64_t exposed_comm_ns = time.exposed_communication.length();
    const int64_t memory_ns = time.memory.length();
    const int64_t exposed_memory_ns = time.exposed_memory.length();
    table.append({run.run().rank, int64_t{device}, span_ns, busy_ns, time.compute.length(), comm_ns, memory_ns,
                  exposed_comm_ns, exposed_memory_ns, span_ns - busy_ns, percent_of(busy_ns, span_ns),
                  percent_of(comm_ns - exposed_comm_ns, comm_ns),
                  percent_of(memory_ns - exposed_memory_ns, memory_ns)});
  }
}

}  // namespace

Analysis gpu_time_analysis() {
  return {.name = "gpu_time",
          .about =
              "busy and idle time of each device; compute, exposed communication, exposed memory and idle add up "
              "to the span",
          .aliases = {"gpu_time_util"},
          .columns = {rank_column(), device_column(),
                      time_column("span_ns", "from the first start to the last end of its device ops"),
                      time_column("busy_ns", "in which any device op runs"),
                      time_column("compute_ns", "in which compute runs"),
                      time_column("comm_ns", "in which communication runs"),
                      time_column("memory_ns", "in which copies or memsets run"),
                      time_column("exposed_comm_ns", "in which communication runs and no compute"),
                      time_column("exposed_memory_ns",
                                  "in which copies or memsets run and neither compute nor communication"),
                      time_column("idle_ns", "in which no device op runs"),
                      real_column("busy_pct", "%", "share of busy_ns in span_ns"),
                      real_column("comm_overlap_pct", "%", "share of comm_ns in which compute runs too"),
                      real_column("memory_overlap_pct", "%",
                                  "share of memory_ns in which compute or communication runs too")},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .fold = fold_of<RowsByRun<append_devices>>};
}

}  // namespace cgpu
