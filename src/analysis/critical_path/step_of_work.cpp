#include "analysis/critical_path/step_of_work.h"

#include <algorithm>

namespace cgpu {

std::optional<int64_t> step_begun_at(const SessionFacts& facts, size_t run, int64_t time) {
  const std::vector<Step>& steps = facts.steps(run);
  if (steps.empty()) return 0;
  const auto next = std::ranges::upper_bound(steps, time, {}, [](const Step& step) { return step.time.begin; });
  return next == steps.begin() ? std::nullopt : std::optional(std::prev(next)->number);
}

std::optional<int64_t> step_of_op(const SessionFacts& facts, size_t run, SliceIndex op) {
  const Slices& slices = facts.run(run).timeline.slices;
  const SliceIndex call = slices.launch[op];
  return step_begun_at(facts, run, slices.start[call == kNone ? op : call]);
}

}  // namespace cgpu
