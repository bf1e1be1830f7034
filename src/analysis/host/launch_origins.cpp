#include "analysis/host/launch_origins.h"

#include <functional>
#include <memory>
#include <utility>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/host/captured_work.h"
#include "analysis/host/launch_calls.h"
#include "analysis/host/module_calls.h"
#include "analysis/host/op_forest.h"
#include "analysis/host/ranges_above.h"

namespace cgpu {

namespace {

/// What is around the slices of a timeline, by numbers that are the same for equal texts.
struct TextsAround {
  std::function<std::optional<uint32_t>(SliceIndex)> number;
  std::function<std::string_view(uint32_t)> text;
  size_t numbers = 0;  // all are below
};

/// `timeline` must outlive it.
TextsAround names_above(const Timeline& timeline, std::vector<SliceIndex> above) {
  return {[&timeline, above = std::move(above)](SliceIndex slice) -> std::optional<uint32_t> {
            if (above[slice] == kNone) return std::nullopt;
            return timeline.slices.name[above[slice]];
          },
          [&timeline](uint32_t name) { return timeline.names[name]; }, timeline.names.size()};
}

TextsAround modules_around(const Timeline& timeline) {
  const auto calls = std::make_shared<const ModuleCalls>(timeline);
  return {[calls](SliceIndex slice) -> std::optional<uint32_t> {
            const SliceIndex call = calls->any() ? calls->around(slice) : kNone;
            if (call == kNone) return std::nullopt;
            return calls->path_number(call);
          },
          [calls](uint32_t path) -> std::string_view { return calls->path_text(path); }, calls->paths()};
}

TextsAround around_slices(const Timeline& timeline, LaunchOrigin origin) {
  switch (origin) {
    case LaunchOrigin::module:
      return modules_around(timeline);
    case LaunchOrigin::range:
      return names_above(timeline, ranges_above(timeline));
    case LaunchOrigin::op:
      break;
  }
  return names_above(timeline, ops_above(timeline));
}

/// Sets the texts of ops by calls of one timeline; every text is looked up once.
class OriginSetter {
 public:
  OriginSetter(TextsAround around, TextsOfOps& into)
      : around_(std::move(around)), into_(into), known_(around_.numbers, StringPool::absent) {}

  void set(OpIndex op, SliceIndex call) {
    const std::optional<uint32_t> number = around_.number(call);
    if (!number) return;
    StringId& id = known_[*number];
    if (id == StringPool::absent) id = into_.texts.intern(around_.text(*number));
    into_.of_op[op] = id;
  }

 private:
  const TextsAround around_;
  TextsOfOps& into_;
  std::vector<StringId> known_;  // by number
};

/// Calls visit(op of the run, launch call in the full run) for the device ops whose launch is known.
template <typename Visit>
void for_each_launch(const OpsInFullRun& full_run, const std::vector<OpIndex>& ops, Visit visit) {
  for (size_t i = 0; i < ops.size(); ++i) {
    const SliceIndex call = launch_of(full_run.timeline, full_run.timeline.device_ops.slice[full_run.ops[i]]);
    if (call != kNone) visit(ops[i], call);
  }
}

/// `ops` of a run, which are `with_calls.ops` in the timeline whose launch calls count.
TextsOfOps texts_of_launches(const SessionFacts& facts, size_t run, LaunchOrigin origin,
                             const std::vector<OpIndex>& ops, const OpsInFullRun& with_calls) {
  TextsOfOps found;
  found.of_op.assign(facts.run(run).timeline.device_ops.size(), StringPool::absent);
  OriginSetter launched(around_slices(with_calls.timeline, origin), found);
  for_each_launch(with_calls, ops, [&](OpIndex op, SliceIndex call) { launched.set(op, call); });
  if (origin == LaunchOrigin::range) return found;  // a replay has its own
  for (const CapturedWork& work : facts.run(run).captured) {
    const Timeline& capture = run_of_capture(facts.session(), facts.run(run), work).timeline;
    OriginSetter captured(around_slices(capture, origin), found);
    for (const CapturedOp& one : work.ops) captured.set(one.op, one.call);
  }
  return found;
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

Column launch_step_column() {
  return number_column("step", "number of the iteration that launched it; absent outside of all");
}

TextsOfOps find_launch_origins(const SessionFacts& facts, size_t run, LaunchOrigin origin) {
  const std::vector<OpIndex> ops = all_ops(facts.run(run).timeline);
  return texts_of_launches(facts, run, origin, ops, ops_in_full_run(facts.session(), run, ops));
}

TextsOfOps find_launch_origins_in_part(const SessionFacts& facts, size_t run, LaunchOrigin origin) {
  const std::vector<OpIndex> ops = all_ops(facts.run(run).timeline);
  return texts_of_launches(facts, run, origin, ops, {run, facts.run(run).timeline, ops});
}

std::vector<std::optional<int64_t>> steps_of_launches(const SessionFacts& facts, size_t run) {
  const Timeline& timeline = facts.run(run).timeline;
  std::vector<std::optional<int64_t>> steps(timeline.device_ops.size());
  const std::vector<OpIndex> ops = all_ops(timeline);
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
