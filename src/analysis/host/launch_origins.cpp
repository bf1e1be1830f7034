#include "analysis/host/launch_origins.h"

#include <functional>
#include <memory>
#include <utility>

#include "analysis/device/device_ops.h"
#include "analysis/host/captured_work.h"
#include "analysis/host/launch_calls.h"
#include "analysis/host/module_calls.h"
#include "analysis/host/op_forest.h"
#include "analysis/host/ranges_above.h"

namespace cgpu {

namespace {

/// The text of the innermost slice of a kind around a slice; absent where there is none.
using TextAround = std::function<std::optional<std::string_view>(SliceIndex slice)>;

TextAround names_above(const Timeline& timeline, std::vector<SliceIndex> above) {
  return [&timeline, above = std::move(above)](SliceIndex slice) -> std::optional<std::string_view> {
    if (above[slice] == kNone) return std::nullopt;
    return timeline.name(above[slice]);
  };
}

TextAround modules_around(const Timeline& timeline) {
  return [calls = std::make_shared<const ModuleCalls>(timeline)](SliceIndex slice) -> std::optional<std::string_view> {
    const SliceIndex call = calls->any() ? calls->around(slice) : kNone;
    if (call == kNone) return std::nullopt;
    return calls->path(call);
  };
}

/// `timeline` must outlive it.
TextAround texts_around(const Timeline& timeline, LaunchOrigin origin) {
  switch (origin) {
    case LaunchOrigin::module:
      return modules_around(timeline);
    case LaunchOrigin::range:
      return names_above(timeline, ranges_above(timeline));
    case LaunchOrigin::op:
      break;
  }
  const auto is_op = [&](SliceIndex slice) {
    return is_framework_op(timeline.kind(slice)) && is_plausible(timeline, slice);
  };
  return names_above(timeline, nearest_above(timeline.slices, is_op));
}

/// Calls visit(op of the run, launch call in the full run) for the device ops whose launch is known.
template <typename Visit>
void for_each_launch(const OpsInFullRun& full_run, const std::vector<OpIndex>& ops, Visit visit) {
  for (size_t i = 0; i < ops.size(); ++i) {
    const SliceIndex call = launch_of(full_run.timeline, full_run.timeline.device_ops.slice[full_run.ops[i]]);
    if (call != kNone) visit(ops[i], call);
  }
}

std::vector<OpIndex> ops_of(const Timeline& timeline) {
  std::vector<OpIndex> ops;
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex) { ops.push_back(op); });
  return ops;
}

}  // namespace

const char* text_of(LaunchOrigin origin) {
  switch (origin) {
    case LaunchOrigin::module:
      return "module";
    case LaunchOrigin::range:
      return "range";
    case LaunchOrigin::op:
      break;
  }
  return "op";
}

const char* about_of(LaunchOrigin origin) {
  switch (origin) {
    case LaunchOrigin::module:
      return "path of the innermost module that launched it, as in table modules; absent outside of all";
    case LaunchOrigin::range:
      return "innermost annotation of the host around the launch; absent outside of all";
    case LaunchOrigin::op:
      break;
  }
  return "innermost framework op that launched it; absent where none did";
}

TextsOfOps find_launch_origins(const SessionFacts& facts, size_t run, LaunchOrigin origin) {
  const Timeline& timeline = facts.run(run).timeline;
  TextsOfOps found;
  found.of_op.assign(timeline.device_ops.size(), StringPool::absent);
  const auto set = [&](OpIndex op, const std::optional<std::string_view>& text) {
    if (text) found.of_op[op] = found.texts.intern(*text);
  };
  const std::vector<OpIndex> ops = ops_of(timeline);
  const OpsInFullRun full_run = ops_in_full_run(facts.session(), run, ops);
  const TextAround around = texts_around(full_run.timeline, origin);
  for_each_launch(full_run, ops, [&](OpIndex op, SliceIndex call) { set(op, around(call)); });
  if (origin == LaunchOrigin::range) return found;
  for (const CapturedWork& work : facts.run(run).captured) {
    const TextAround captured_in = texts_around(run_of_capture(facts.session(), facts.run(run), work).timeline, origin);
    for (const CapturedOp& captured : work.ops) set(captured.op, captured_in(captured.call));
  }
  return found;
}

std::vector<std::optional<int64_t>> steps_of_launches(const SessionFacts& facts, size_t run) {
  const Timeline& timeline = facts.run(run).timeline;
  std::vector<std::optional<int64_t>> steps(timeline.device_ops.size());
  const std::vector<OpIndex> ops = ops_of(timeline);
  const OpsInFullRun full_run = ops_in_full_run(facts.session(), run, ops);
  const std::vector<Step>& all = facts.whole().steps(full_run.run);
  const std::vector<Interval> marks = marks_of(full_run.timeline, all);
  for_each_launch(full_run, ops, [&](OpIndex op, SliceIndex call) {
    const std::optional<size_t> step = mark_at(marks, full_run.timeline.slices.start[call]);
    if (step) steps[op] = all[*step].number;
  });
  return steps;
}

}  // namespace cgpu
