// Table `steps`: iterations, each split without remainder by what was going on. O(n log n) in the slices, O(n) where
// they come sorted, besides O(s log n) for s steps. The slow way it equals: give every nanosecond of a step to the
// first activity in the list that has a slice over it.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/columns.h"
#include "analysis/launch_calls.h"
#include "analysis/session_clock.h"
#include "analysis/tables.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

/// What a moment of a step can belong to, first come first served.
enum Activity : uint8_t { kernel, copy, set, communication, runtime, dataloader, cpu };
constexpr size_t kActivities = cpu + 1;

constexpr std::string_view kMarkPrefix = "ProfilerStep#";

struct Mark {
  int64_t step = 0;  // N of "ProfilerStep#N"
  Interval time;
};

struct Step {
  int64_t number = 0;
  Interval time;
  int64_t device_ops = 0;  // launched inside the mark
};

std::optional<int64_t> step_number(std::string_view name) {
  if (!name.starts_with(kMarkPrefix)) return std::nullopt;
  name.remove_prefix(kMarkPrefix.size());
  int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

/// In order of their starts.
std::vector<Mark> find_marks(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  std::vector<Mark> marks;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (timeline.kind(slice) != SliceKind::annotation || !is_plausible(timeline, slice)) continue;
    if (const std::optional<int64_t> number = step_number(timeline.name(slice))) {
      marks.push_back({*number, {slices.start[slice], slices.end(slice)}});
    }
  }
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.time.begin < b.time.begin; });
  return marks;
}

/// Starts of launch calls with the ends of the device ops that they launched, in order.
std::vector<std::pair<int64_t, int64_t>> find_launches(const Timeline& timeline) {
  std::vector<std::pair<int64_t, int64_t>> launches;
  for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
    const SliceIndex call = launch_of(timeline, op);
    if (call != kNone) launches.emplace_back(timeline.slices.start[call], timeline.slices.end(op));
  });
  std::sort(launches.begin(), launches.end());
  return launches;
}

std::vector<Step> find_steps(const std::vector<Mark>& marks, const Timeline& timeline) {
  const std::vector<std::pair<int64_t, int64_t>> launches = find_launches(timeline);
  const auto first_launch_from = [&](int64_t time) {
    return std::lower_bound(launches.begin(), launches.end(), std::pair(time, INT64_MIN));
  };

  std::vector<Step> steps;
  auto unseen = launches.begin();  // launches before it lie in earlier marks, whose steps end before this one starts
  for (const Mark& mark : marks) {
    const auto first = first_launch_from(mark.time.begin);
    const auto last = first_launch_from(mark.time.end);
    Interval time = mark.time;
    if (!steps.empty()) time.begin = std::max(time.begin, steps.back().time.end);
    time.end = std::max(time.begin, time.end);
    for (unseen = std::max(unseen, first); unseen < last; ++unseen) time.end = std::max(time.end, unseen->second);
    steps.push_back({mark.step, time, last - first});
  }
  return steps;
}

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
  if (name.starts_with(kMarkPrefix)) return std::nullopt;
  return cpu;
}

/// For each activity the time that belongs to it: when it goes on and none before it in the list does.
std::array<IntervalSet, kActivities> split_time(const Timeline& timeline) {
  const Slices& slices = timeline.slices;
  std::array<std::vector<Interval>, kActivities> active;
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    active[activity_of(timeline, op, slice)].push_back({slices.start[slice], slices.end(slice)});
  });
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    if (!is_plausible(timeline, slice)) continue;
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

/// Whether the recording stopped in the last step: it launched fewer than 80 % of the device ops of the one before.
bool is_cut_short(const std::vector<Step>& steps, size_t i) {
  return i > 0 && i + 1 == steps.size() && 5 * steps[i].device_ops < 4 * steps[i - 1].device_ops;
}

}  // namespace

Table steps_table(const Session& session, const AnalysisOptions&) {
  Table table{
      "steps",
      "iterations (ProfilerStep#N marks) up to the end of their device work; the columns from kernel to other add up "
      "to the "
      "duration",
      {rank_column(), number_column("step", "number of the iteration"),
       time_column("start_ns", "from the start of the profile"), time_column("duration_ns", "length"),
       time_column("kernel_ns", "in which compute kernels run"),
       time_column("memcpy_ns", "in which copies run, and nothing of the columns before"),
       time_column("memset_ns", "in which memsets run, and nothing of the columns before"),
       time_column("communication_ns", "in which communication runs, and nothing of the columns before"),
       time_column("runtime_ns", "in which runtime or driver calls run, and nothing of the columns before"),
       time_column("dataloader_ns", "in which the data loader is waited for, and nothing of the columns before"),
       time_column("cpu_ns", "in which framework ops or annotations run, and nothing of the columns before"),
       time_column("other_ns", "in which nothing of this runs"),
       number_column("complete", "0 for a last step with fewer than 80 % of the device ops of the step before it")},
      {}};

  const std::vector<int64_t> zeros = time_zeros(session);
  for (size_t r = 0; r < session.runs.size(); ++r) {
    const Run& run = session.runs[r];
    const std::vector<Mark> marks = find_marks(run.timeline);
    if (marks.empty()) continue;
    const std::vector<Step> steps = find_steps(marks, run.timeline);
    const std::array<IntervalSet, kActivities> own = split_time(run.timeline);
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto& [begin, end] = steps[i].time;
      Row row = {run.rank, steps[i].number, begin - zeros[r], end - begin};
      int64_t other_ns = end - begin;
      for (const IntervalSet& activity : own) {
        const int64_t part = activity.clip(begin, end).length();
        row.push_back(part);
        other_ns -= part;
      }
      row.push_back(other_ns);
      row.push_back(int64_t{is_cut_short(steps, i) ? 0 : 1});
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace cgpu
