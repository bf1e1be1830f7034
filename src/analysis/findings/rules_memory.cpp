// Rules about memory: what is allocated grows from step to step, or is held in pieces that fit nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "analysis/device/memory_levels.h"
#include "analysis/findings/rule_context.h"
#include "analysis/idle/idle_causes.h"
#include "analysis/steps/step_times.h"
#include "analysis/steps/warm_up.h"
#include "base/contains.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The steps of a run without warm-up and without a last one that was cut short.
std::vector<Step> steady_steps(const std::vector<Step>& all) {
  std::vector<Step> steps = all;
  if (!steps.empty() && is_cut_short(steps, steps.size() - 1)) steps.pop_back();
  const auto warm_up = static_cast<std::ptrdiff_t>(count_warm_up(durations_of(steps)));
  steps.erase(steps.begin(), steps.begin() + warm_up);
  return steps;
}

/// The median of the slopes between all pairs of values (Theil 1950, Sen 1968), per place; and the share of the pairs
/// of which the later one is larger. O(n^2 log n).
struct Growth {
  double slope = 0;
  double larger_pairs = 0;
};
Growth growth_of(const std::vector<int64_t>& values) {
  std::vector<double> slopes;
  int64_t larger = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back(static_cast<double>(values[j] - values[i]) / static_cast<double>(j - i));
      if (values[j] > values[i]) ++larger;
    }
  }
  if (slopes.empty()) return {};
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  return {*middle, static_cast<double>(larger) / static_cast<double>(slopes.size())};
}

std::optional<int64_t> size_of_device(const Run& run, int32_t device) {
  for (const Device& each : run.devices) {
    if (each.id == device && each.memory_bytes.value_or(0) > 0) return each.memory_bytes;
  }
  return {};
}

std::string place_of(const Run& run, int32_t device) {
  return device < 0 ? fmt::format("the host of rank {}", run.rank)
                    : fmt::format("device {} of rank {}", device, run.rank);
}

/// More of it after each step than after the one before, after warm-up too.
void find_growth(RuleContext& context, const Run& run, const std::vector<Step>& all_steps, int32_t device,
                 const std::vector<MemoryLevel>& levels, std::vector<Finding>& findings) {
  const Thresholds& from = context.thresholds();
  constexpr size_t kMostSteps = 400;  // for the pairs of them
  std::vector<Step> steps = steady_steps(all_steps);
  if (static_cast<double>(steps.size()) < from.growth_steps) return;
  if (steps.size() > kMostSteps) steps.erase(steps.begin(), steps.end() - kMostSteps);
  std::vector<int64_t> after;  // bytes after each step, as the host sees it
  for (const Step& step : steps) {
    const int64_t end = run.timeline.slices.end(step.mark);
    const auto next =
        std::partition_point(levels.begin(), levels.end(), [&](const MemoryLevel& level) { return level.time <= end; });
    if (next == levels.begin()) return;
    after.push_back(std::prev(next)->allocated);
  }
  const Growth growth = growth_of(after);
  // What fills up and then stays is no growth: the later half must go on.
  const Growth later = growth_of({after.begin() + static_cast<std::ptrdiff_t>(after.size() / 2), after.end()});
  if (growth.larger_pairs < from.growing_pairs || growth.slope <= 0 || later.slope < growth.slope / 2) return;

  const std::optional<int64_t> size = size_of_device(run, device);
  const int64_t held = std::max(after.back(), int64_t{1});
  const int64_t room = size ? *size - held : held;
  const double until_full = static_cast<double>(std::max(room, int64_t{0})) / growth.slope;
  if (until_full > from.steps_until_full) return;
  findings.push_back(
      {.rule = "memory_growth",
       .title = fmt::format("Memory of {} grows by {} a step", place_of(run, device), format_bytes(growth.slope)),
       .evidence =
           fmt::format("{} after step {}, {} after step {}; {} after about {} more steps", format_bytes(after.front()),
                       steps.front().number, format_bytes(after.back()), steps.back().number,
                       size ? "the device is full" : "it is twice as much", format_count(std::llround(until_full))),
       .suggestion =
           "Look for what keeps results of former steps: losses added up or kept in a list without .item() or "
           ".detach() (they keep their graph), caches without a limit, hooks that are never removed",
       .command = "memory",
       .confidence = growth.larger_pairs < 1 ? Confidence::medium : Confidence::high,
       .time = Interval{steps.front().time.begin, steps.back().time.end},
       .rank = run.rank,
       .device = device,
       .severity = until_full <= from.steps_until_full_critical ? Severity::critical : Severity::warning});
}

/// How often the steady steps of a run asked the driver for memory of the device, and gave it back.
struct DriverCalls {
  int64_t all = 0;
  int64_t frees = 0;
};
DriverCalls driver_calls(const Run& run, const std::vector<Step>& steps) {
  DriverCalls calls;
  const Timeline& t = run.timeline;
  for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
    if (!is_call(t.kind(slice))) continue;
    const std::string_view name = t.name(slice);
    if (cause_named_by(t.kind(slice), name) != IdleCause::allocation) continue;
    if (contains(name, "Host") || contains(name, "Async")) continue;
    const auto next = std::partition_point(steps.begin(), steps.end(),
                                           [&](const Step& step) { return step.time.end <= t.slices.start[slice]; });
    if (next == steps.end() || next->time.begin > t.slices.start[slice]) continue;
    ++calls.all;
    if (contains(name, "Free")) ++calls.frees;
  }
  return calls;
}

/// Much is reserved that is not in use, and still the driver is asked for more.
void find_fragments(RuleContext& context, const Run& run, const std::vector<Step>& all_steps, int32_t device,
                    const std::vector<MemoryLevel>& levels, std::vector<Finding>& findings) {
  const auto peak = std::max_element(levels.begin(), levels.end(), [](const MemoryLevel& a, const MemoryLevel& b) {
    return a.allocated < b.allocated;
  });
  if (peak == levels.end() || peak->reserved <= 0) return;
  const int64_t unused = peak->reserved - peak->allocated;
  const double share = static_cast<double>(unused) / static_cast<double>(peak->reserved);
  if (share < context.thresholds().fragmented) return;
  const std::optional<int64_t> size = size_of_device(run, device);
  const bool full =
      size && static_cast<double>(peak->reserved) >= context.thresholds().nearly_full * static_cast<double>(*size);
  const DriverCalls calls = driver_calls(run, steady_steps(all_steps));
  if (calls.frees == 0 && !full) return;
  Finding finding{
      .rule = "fragmentation",
      .title = fmt::format("{} of the memory reserved on {} is not in use at the peak", format_percent(100 * share),
                           place_of(run, device)),
      .evidence = fmt::format(
          "{} reserved, {} in use; the steps ask the driver for memory {} times and give it back {}",
          format_bytes(peak->reserved), format_bytes(peak->allocated), calls.all - calls.frees, calls.frees),
      .suggestion =
          "Let blocks grow and shrink (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), use equal sizes "
          "(padding, buckets), allocate the largest buffers first",
      .command = "memory",
      .confidence = Confidence::medium,
      .precedence = 1.5,  // the cause of what rule allocation reports
      .rank = run.rank,
      .device = device,
      .severity = full ? Severity::warning : Severity::info};
  if (context.has_device_ops() && context.path_share(IdleCause::allocation) >= context.thresholds().noticeable / 3) {
    finding.time = context.path(IdleCause::allocation).longest;
    finding.remedy.emplace().removed.set(BoundBy(IdleCause::allocation).number());
  }
  findings.push_back(std::move(finding));
}

}  // namespace

void find_memory(RuleContext& context, std::vector<Finding>& findings) {
  const Session& session = context.session();
  for (size_t number = 0; number < session.runs.size(); ++number) {
    const Run& run = session.runs[number];
    if (run.timeline.memory.empty()) continue;
    const std::vector<Step>& steps = context.facts().steps(number);
    for (const auto& [device, memory] : memory_of_devices(run.timeline)) {
      find_growth(context, run, steps, device, memory.levels, findings);
      if (device >= 0) find_fragments(context, run, steps, device, memory.levels, findings);
    }
  }
}

}  // namespace cgpu
