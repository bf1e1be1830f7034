#include "analysis/steps/step_times.h"

#include <algorithm>
#include <array>

#include "analysis/device/device_ops.h"
#include "analysis/host/launch_calls.h"

namespace cgpu {

namespace {

/// The launches from one of the times at which marks begin or end up to the next one.
struct LaunchesFrom {
  int64_t before = 0;            // how many there are from the first of all these times up to this one
  int64_t last_end = INT64_MIN;  // of the device ops that were launched here
};

/// By bound, and one more. O(n log m) in the device ops and bounds, O(n) where one op after another is launched.
std::vector<LaunchesFrom> launches_between(const Timeline& timeline, const std::vector<int64_t>& bounds) {
  std::vector<LaunchesFrom> found(bounds.size() + 1);
  size_t here = 0;  // bounds before the previous launch or at it
  for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
    const SliceIndex call = launch_of(timeline, op);
    if (call == kNone) return;
    const int64_t start = timeline.slices.start[call];
    if ((here > 0 && bounds[here - 1] > start) || (here < bounds.size() && bounds[here] <= start)) {
      here = static_cast<size_t>(std::upper_bound(bounds.begin(), bounds.end(), start) - bounds.begin());
    }
    if (here == 0) return;
    ++found[here].before;
    found[here - 1].last_end = std::max(found[here - 1].last_end, timeline.slices.end(op));
  });
  for (size_t i = 1; i < found.size(); ++i) found[i].before += found[i - 1].before;
  return found;
}

}  // namespace

std::vector<Step> find_steps(const Timeline& timeline) {
  const std::vector<StepMark> marks = find_step_marks(timeline);
  if (marks.empty()) return {};
  std::vector<int64_t> bounds;
  for (const StepMark& mark : marks) bounds.insert(bounds.end(), {mark.time.begin, mark.time.end});
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  const std::vector<LaunchesFrom> launches = launches_between(timeline, bounds);
  const auto from = [&](int64_t time) {
    return static_cast<size_t>(std::lower_bound(bounds.begin(), bounds.end(), time) - bounds.begin());
  };

  std::vector<Step> steps;
  size_t unseen = 0;  // launches before it lie in earlier marks, whose steps end before this one starts
  for (const StepMark& mark : marks) {
    const size_t first = from(mark.time.begin);
    const size_t last = from(mark.time.end);
    Interval time = mark.time;
    if (!steps.empty()) time.begin = std::max(time.begin, steps.back().time.end);
    time.end = std::max(time.begin, time.end);
    for (unseen = std::max(unseen, first); unseen < last; ++unseen) {
      time.end = std::max(time.end, launches[unseen].last_end);
    }
    steps.push_back({mark.step, time, launches[last].before - launches[first].before, mark.slice});
  }
  return steps;
}

std::vector<Interval> marks_of(const Timeline& timeline, const std::vector<Step>& steps) {
  std::vector<Interval> marks;
  for (const Step& step : steps) {
    marks.push_back({timeline.slices.start[step.mark], timeline.slices.end(step.mark)});
  }
  return marks;
}

std::optional<size_t> mark_at(const std::vector<Interval>& marks, int64_t time) {
  const auto after =
      std::partition_point(marks.begin(), marks.end(), [&](const Interval& mark) { return mark.begin <= time; });
  if (after == marks.begin() || (after - 1)->end <= time) return std::nullopt;
  return static_cast<size_t>(after - 1 - marks.begin());
}

std::vector<int64_t> durations_of(const std::vector<Step>& steps) {
  std::vector<int64_t> durations;
  for (const Step& step : steps) durations.push_back(step.time.end - step.time.begin);
  return durations;
}

bool is_cut_short(const std::vector<Step>& steps, size_t i) {
  return i > 0 && i + 1 == steps.size() && 5 * steps[i].device_ops < 4 * steps[i - 1].device_ops;
}

bool begins_with_earlier_work(const Timeline& timeline, const std::vector<Step>& steps) {
  constexpr size_t kFewestSteps = 3;
  constexpr int64_t kLeastPercent = 1;
  if (steps.size() < kFewestSteps) return false;
  std::array<int64_t, 2> without_launch{};
  for_each_device_op(timeline, [&](OpIndex, SliceIndex slice) {
    if (launch_of(timeline, slice) != kNone) return;
    for (size_t i = 0; i < without_launch.size(); ++i) {
      const Interval& time = steps[i].time;
      without_launch[i] += std::max<int64_t>(
          0, std::min(timeline.slices.end(slice), time.end) - std::max(timeline.slices.start[slice], time.begin));
    }
  });
  const auto is_much = [&](size_t i) {
    return 100 * without_launch[i] >= kLeastPercent * (steps[i].time.end - steps[i].time.begin);
  };
  return is_much(0) && !is_much(1);
}

}  // namespace cgpu
