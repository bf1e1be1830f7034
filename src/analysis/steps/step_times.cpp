#include "analysis/steps/step_times.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "analysis/device/device_ops.h"
#include "analysis/host/launch_calls.h"
#include "base/sort_runs.h"

namespace cgpu {

namespace {

struct Mark {
  int64_t step = 0;  // N of "ProfilerStep#N"
  Interval time;
  SliceIndex slice = kNone;
};

std::optional<int64_t> step_number(std::string_view name) {
  if (!name.starts_with(kStepMark)) return std::nullopt;
  name.remove_prefix(kStepMark.size());
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
      marks.push_back({*number, {slices.start[slice], slices.end(slice)}, slice});
    }
  }
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.time.begin < b.time.begin; });
  return marks;
}

/// Starts of launch calls with the ends of the device ops that they launched, in order.
std::vector<std::pair<int64_t, int64_t>> find_launches(const Timeline& timeline) {
  std::vector<std::pair<int64_t, int64_t>> launches;
  launches.reserve(timeline.device_ops.size());
  for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
    const SliceIndex call = launch_of(timeline, op);
    if (call != kNone) launches.emplace_back(timeline.slices.start[call], timeline.slices.end(op));
  });
  sort_runs(launches);
  return launches;
}

}  // namespace

std::vector<Step> find_steps(const Timeline& timeline) {
  const std::vector<Mark> marks = find_marks(timeline);
  if (marks.empty()) return {};
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
    steps.push_back({mark.step, time, last - first, mark.slice});
  }
  return steps;
}

std::vector<int64_t> durations_of(const std::vector<Step>& steps) {
  std::vector<int64_t> durations;
  for (const Step& step : steps) durations.push_back(step.time.end - step.time.begin);
  return durations;
}

bool is_cut_short(const std::vector<Step>& steps, size_t i) {
  return i > 0 && i + 1 == steps.size() && 5 * steps[i].device_ops < 4 * steps[i - 1].device_ops;
}

}  // namespace cgpu
