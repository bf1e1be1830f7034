#include "analysis/ranks/device_cycles.h"

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/device/device_ops.h"
#include "analysis/device/device_time.h"
#include "analysis/steps/step_times.h"

namespace cgpu {

namespace {

/// When a device began the first op of the first step that launched one, and of the last one.
struct FirstOps {
  size_t first_step = 0;
  size_t last_step = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

/// Nothing where no step has launched any of these ops. `marks`: of the steps, since a host may be further than the
/// devices.
std::optional<FirstOps> first_ops(const Timeline& timeline, const std::vector<Interval>& marks,
                                  const std::vector<OpIndex>& ops) {
  const Slices& slices = timeline.slices;
  std::optional<FirstOps> found;
  for (const OpIndex op : ops) {
    const SliceIndex slice = timeline.device_ops.slice[op];
    const SliceIndex call = launch_of(timeline, slice);
    if (call == kNone) continue;
    const std::optional<size_t> step = mark_at(marks, slices.start[call]);
    if (!step) continue;
    const int64_t start = slices.start[slice];
    if (!found) found = {*step, *step, start, start};
    if (*step < found->first_step || (*step == found->first_step && start < found->begin)) {
      found->first_step = *step;
      found->begin = start;
    }
    if (*step > found->last_step || (*step == found->last_step && start < found->end)) {
      found->last_step = *step;
      found->end = start;
    }
  }
  return found;
}

}  // namespace

WholeIterations whole_iterations(const RunInSession& run, const std::vector<OpIndex>& ops) {
  const std::optional<FirstOps> found =
      first_ops(run.timeline(), marks_of(run.timeline(), run.facts.steps(run.index)), ops);
  if (!found || found->last_step <= found->first_step || found->end <= found->begin) return {};
  return {static_cast<int64_t>(found->last_step - found->first_step), {found->begin, found->end}};
}

std::vector<DeviceCycles> device_cycles(const RunInSession& run) {
  const Timeline& timeline = run.timeline();
  std::vector<DeviceCycles> all;
  for (const auto& [device, ops] : ops_by_device(timeline)) {
    DeviceCycles& cycles = all.emplace_back();
    const DeviceTime time = device_time(timeline, ops);
    cycles.device = device;
    cycles.time = time.span;
    const WholeIterations whole = whole_iterations(run, ops);
    if (whole.count > 0) {
      cycles.cycles = whole.count;
      cycles.time = whole.time;
    }
    const auto owned = [&](TimeOwner owner) -> int64_t& { return cycles.owned_ns[static_cast<size_t>(owner)]; };
    owned(TimeOwner::compute) = time.compute.clip(cycles.time.begin, cycles.time.end).length();
    owned(TimeOwner::copies) = time.exposed_memory.clip(cycles.time.begin, cycles.time.end).length();
    run.facts.idle().for_each_gap(run.index, ops, [&](const IdleGap& gap) {
      if (gap.time.begin < cycles.time.begin || gap.time.end > cycles.time.end) return;
      for (size_t cause = 0; cause < gap.times.size(); ++cause) {
        cycles.owned_ns[static_cast<size_t>(TimeOwner::idle) + cause] += gap.times[cause];
      }
    });
  }
  return all;
}

std::string_view text_of_owner(size_t owner) {
  if (owner == static_cast<size_t>(TimeOwner::compute)) return "compute";
  if (owner == static_cast<size_t>(TimeOwner::copies)) return "copies";
  return text_of(static_cast<IdleCause>(owner - static_cast<size_t>(TimeOwner::idle)));
}

}  // namespace cgpu
