#include "analysis/critical_path/step_of_work.h"

#include <algorithm>

namespace cgpu {

namespace {

/// `begin_of`: of a step; in the order of the steps.
template <typename Begin>
std::optional<int64_t> last_begun(const SessionFacts& facts, size_t run, int64_t time, Begin begin_of) {
  const std::vector<Step>& steps = facts.steps(run);
  if (steps.empty()) return 0;
  const auto next = std::ranges::upper_bound(steps, time, {}, begin_of);
  return next == steps.begin() ? std::nullopt : std::optional(std::prev(next)->number);
}

}  // namespace

std::optional<int64_t> step_begun_at(const SessionFacts& facts, size_t run, int64_t time) {
  const Slices& slices = facts.run(run).timeline.slices;
  return last_begun(facts, run, time, [&](const Step& step) { return slices.start[step.mark]; });
}

std::optional<int64_t> step_of_op(const SessionFacts& facts, size_t run, SliceIndex op) {
  const Slices& slices = facts.run(run).timeline.slices;
  const SliceIndex call = slices.launch[op];
  if (call != kNone) return step_begun_at(facts, run, slices.start[call]);
  return last_begun(facts, run, slices.start[op], [](const Step& step) { return step.time.begin; });
}

}  // namespace cgpu
