// Table `steps`: iterations, each split without remainder by what was going on. O(n log n) in the slices, O(n) where
// they come sorted, besides O(s log n) for s steps. The test compares it with giving every nanosecond of a step to the
// first activity in the list that has a slice over it.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/rows_by_run.h"
#include "analysis/steps/step_times.h"
#include "analysis/tables.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

/// What the time of a step can belong to; where several go on at once, it belongs to the first of them.
enum Activity : uint8_t { kernel, copy, set, communication, runtime, dataloader, cpu };
constexpr size_t kActivities = cpu + 1;

Activity activity_of(const Timeline& timeline, OpIndex op, SliceIndex slice) {
  switch (timeline.device_ops.kind[op]) {
    case OpKind::compute:
      return kernel;
    case OpKind::communication:
      return communication;
    case OpKind::memory:
      break;
  }
  const bool is_set = timeline.kind(slice) == SliceKind::memset ||
                      timeline.device_ops.kernel_class[op] == static_cast<uint8_t>(KernelClass::set);
  return is_set ? set : copy;
}

std::optional<Activity> host_activity_of(SliceKind kind, std::string_view name) {
  if (is_call(kind)) return runtime;
  if (kind != SliceKind::framework_op && kind != SliceKind::annotation) return std::nullopt;
  if (name.starts_with("enumerate(DataLoader)")) return dataloader;
  if (name.starts_with(kStepMark)) return std::nullopt;
  return cpu;
}

/// For each activity the time that belongs to it: when it goes on and none before it in the list does. `marks`: of the
/// steps, sorted; they are no activity.
std::array<IntervalSet, kActivities> split_time(const Timeline& timeline, const std::vector<SliceIndex>& marks) {
  const Slices& slices = timeline.slices;
  std::array<std::vector<Interval>, kActivities> active;
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    active[activity_of(timeline, op, slice)].push_back({slices.start[slice], slices.end(slice)});
  });
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_plausible(timeline, slice) || std::binary_search(marks.begin(), marks.end(), slice)) continue;
    if (const auto activity = host_activity_of(timeline.kind(slice), timeline.name(slice))) {
      active[*activity].push_back({slices.start[slice], slices.end(slice)});
    }
  }

  std::array<IntervalSet, kActivities> own;
  IntervalSet taken;
  for (size_t activity = 0; activity < kActivities; ++activity) {
    const IntervalSet time(std::move(active[activity]));
    own[activity] = time.subtract(taken);
    taken = taken.unite(time);
  }
  return own;
}

void append_steps(const RunInSession& run, Table& table) {
  const std::vector<Step>& steps = run.facts.steps(run.index);
  if (steps.empty()) return;
  std::vector<SliceIndex> marks;
  for (const Step& step : steps) marks.push_back(step.mark);
  std::sort(marks.begin(), marks.end());
  const std::array<IntervalSet, kActivities> own = split_time(run.timeline(), marks);
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto& [begin, end] = steps[i].time;
    Row row = {run.run().rank, steps[i].number, begin, end - begin};
    int64_t other_ns = end - begin;
    for (const IntervalSet& activity : own) {
      const int64_t part = activity.clip(begin, end).length();
      row.emplace_back(part);
      other_ns -= part;
    }
    row.emplace_back(other_ns);
    row.emplace_back(cell(run.timeline().name(steps[i].mark)));
    row.emplace_back(int64_t{is_cut_short(steps, i) ? 0 : 1});
    table.append(row);
  }
}

}  // namespace

Analysis steps_analysis() {
  return {
      .name = "steps",
      .about =
          "iterations, by the ranges that mark them, up to the end of their device work; the columns from kernel to "
          "other add up to the duration",
      .columns = {rank_column(),
                  number_column("step", "number of the iteration"),
                  moment_column("start_ns", "from the start of the profile"),
                  time_column("duration_ns", "length"),
                  time_column("kernel_ns", "in which compute kernels run"),
                  time_column("memcpy_ns", "in which copies run, and nothing of the columns before"),
                  time_column("memset_ns", "in which memsets run, and nothing of the columns before"),
                  time_column("communication_ns", "in which communication runs, and nothing of the columns before"),
                  time_column("runtime_ns", "in which runtime or driver calls run, and nothing of the columns before"),
                  time_column("dataloader_ns",
                              "in which the data loader is waited for, and nothing of the columns before"),
                  time_column("cpu_ns", "in which framework ops or annotations run, and nothing of the columns before"),
                  time_column("other_ns", "in which nothing of this runs"),
                  text_column("mark", "the range that marks it: ProfilerStep#N, else one that counts, else a server's"),
                  {"complete", ColumnType::integer, "",
                   "0 for a last step with fewer than 80 % of the device ops of the step before it", ColumnRole::text}},
      .applies = [](const ProfileCounts& counts) { return counts.steps > 0; },
      .fold = fold_of<RowsByRun<append_steps>>};
}

}  // namespace cgpu
