#include "comparison/sides/compared_time.h"

#include <algorithm>

#include "analysis/steps/warm_up.h"
#include "model/plausible.h"

namespace cgpu {

ComparedTime compared_time(const SessionFacts& facts, size_t run, bool by_iteration,
                           const std::optional<NumberRange>& wanted) {
  ComparedTime compared;
  const Timeline& timeline = facts.run(run).timeline;
  const std::vector<Step>& steps = facts.steps(run);
  if (by_iteration && !steps.empty()) {
    compared.cut_short = !wanted && is_cut_short(steps, steps.size() - 1);
    const size_t end = steps.size() - (compared.cut_short ? 1 : 0);
    if (!wanted) {
      const std::vector<int64_t> durations = durations_of(steps);
      const std::ptrdiff_t earlier = begins_with_earlier_work(timeline, steps) ? 1 : 0;
      compared.warm_up =
          static_cast<size_t>(earlier) +
          count_warm_up({durations.begin() + earlier, durations.begin() + static_cast<std::ptrdiff_t>(end)});
    }
    for (size_t i = compared.warm_up; i < end; ++i) {
      if (wanted && (steps[i].number < wanted->first || steps[i].number > wanted->second)) continue;
      const SliceIndex mark = steps[i].mark;
      compared.iterations.push_back(
          {steps[i].number, steps[i].time, {timeline.slices.start[mark], timeline.slices.end(mark)}});
    }
    return compared;
  }
  Interval all{INT64_MAX, INT64_MIN};
  for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
    all = {std::min(all.begin, timeline.slices.start[op]), std::max(all.end, timeline.slices.end(op))};
  });
  if (all.begin < all.end) compared.iterations.push_back({std::nullopt, all, {INT64_MIN, INT64_MAX}});
  return compared;
}

std::optional<uint32_t> iteration_at(const std::vector<Iteration>& iterations, Interval Iteration::*intervals,
                                     int64_t time) {
  const auto after = std::upper_bound(
      iterations.begin(), iterations.end(), time,
      [&](int64_t wanted, const Iteration& iteration) { return wanted < (iteration.*intervals).begin; });
  if (after == iterations.begin()) return std::nullopt;
  const auto at = after - 1;
  if (time >= ((*at).*intervals).end) return std::nullopt;
  return static_cast<uint32_t>(at - iterations.begin());
}

}  // namespace cgpu
