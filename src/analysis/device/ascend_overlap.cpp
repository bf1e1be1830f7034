// Table `ascend_overlap`: computing, communication and free time of each device of an Ascend profile by the definitions
// of the vendor's profiler, beside what it computed itself. Copies are not busy there, hence `free` is not the idle
// time of `gpu_time`. O(n log n) in the device ops, O(n) where they come sorted.
#include <optional>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

/// The profiler's own figures for a device, summed over its steps.
struct Recorded {
  int64_t steps = 0;
  std::optional<int64_t> computing, communication, not_overlapped, overlapped, free;
};

void add(std::optional<int64_t>& sum, const std::optional<int64_t>& value) {
  int64_t total = 0;
  if (value && !__builtin_add_overflow(sum.value_or(0), *value, &total)) sum = total;
}

Recorded recorded_of(const Run& run, int32_t device) {
  Recorded recorded;
  for (const StepTrace& step : run.step_traces) {
    if (step.device >= 0 && step.device != device) continue;
    ++recorded.steps;
    add(recorded.computing, step.computing);
    add(recorded.communication, step.communication);
    add(recorded.not_overlapped, step.not_overlapped);
    add(recorded.overlapped, step.overlapped);
    add(recorded.free, step.free);
  }
  return recorded;
}

void append_overlap(const RunInSession& in_session, Table& table) {
  const Run& run = in_session.run();
  if (run.format != "ascend" && run.step_traces.empty()) return;  // an export of one has its steps, too
  const Timeline& timeline = run.timeline;
  for (const auto& [device, ops] : ops_by_device(timeline)) {
    std::vector<OpIndex> kernels;
    std::vector<OpIndex> collectives;
    std::vector<OpIndex> both;
    for (const OpIndex op : ops) {
      const SliceKind kind = timeline.kind(timeline.device_ops.slice[op]);
      if (kind != SliceKind::kernel && kind != SliceKind::device_collective) continue;
      (kind == SliceKind::kernel ? kernels : collectives).push_back(op);
      both.push_back(op);
    }
    const IntervalSet computing = busy_time(timeline, kernels);
    const IntervalSet communication = busy_time(timeline, collectives);
    const int64_t not_overlapped = communication.subtract(computing).length();
    const Interval span = span_of(timeline, both);
    const int64_t free = span.end - span.begin - computing.length() - not_overlapped;
    const Recorded recorded = recorded_of(run, device);
    table.append({run.rank, int64_t{device}, computing.length(), communication.length(), not_overlapped,
                  communication.length() - not_overlapped, free, recorded.steps, cell(recorded.computing),
                  cell(recorded.communication), cell(recorded.not_overlapped), cell(recorded.overlapped),
                  cell(recorded.free)});
  }
}

}  // namespace

Analysis ascend_overlap_analysis() {
  return {
      .name = "ascend_overlap",
      .about = "time of each Ascend device by its profiler's definitions, and as its profiler says",
      .columns = {rank_column(), device_column(), time_column("computing_ns", "in which kernels run"),
                  time_column("communication_ns", "in which collectives run"),
                  time_column("not_overlapped_ns", "in which collectives run and no kernels"),
                  time_column("overlapped_ns", "in which both run"),
                  time_column("free_ns",
                              "in which neither runs, from the first start to the last end of these; copies "
                              "do not count"),
                  count_column("profiler_steps", "steps with figures by the profiler itself, summed below"),
                  time_column("profiler_computing_ns", "what the profiler says; absent where it does not, as the rest"),
                  time_column("profiler_communication_ns", "what the profiler says"),
                  time_column("profiler_not_overlapped_ns", "what the profiler says"),
                  time_column("profiler_overlapped_ns", "what the profiler says"),
                  time_column("profiler_free_ns", "what the profiler says")},
      .applies = [](const ProfileCounts& counts) { return counts.step_traces > 0; },
      .fold = fold_of<RowsByRun<append_overlap>>};
}

}  // namespace cgpu
