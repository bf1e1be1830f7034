#include "analysis/findings/judged_periods.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/idle/profile_edges.h"
#include "analysis/session_clock.h"

namespace cgpu {

namespace {

/// A last step in which the recording stopped.
void leave_out_cut_step(const SessionFacts& facts, JudgedPeriods& judged) {
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    const std::vector<Step>& steps = facts.steps(run);
    if (steps.empty() || !is_cut_short(steps, steps.size() - 1)) continue;
    std::erase_if(judged.periods, [&](const Period& period) { return period.step == steps.back().number; });
    return;
  }
}

void leave_out_earlier_work(const SessionFacts& facts, JudgedPeriods& judged) {
  const bool together = has_common_clock(facts.session());
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    const std::vector<Step>& steps = facts.steps(run);
    if (!begins_with_earlier_work(facts.run(run).timeline, steps)) continue;
    judged.had_earlier_work = true;
    std::erase_if(judged.periods, [&](const Period& period) {
      return period.step == steps.front().number && (together || period.run == facts.place_in_whole(run));
    });
  }
}

/// Leaves the first steps out that are warm-up (warm_up_steps.h).
void leave_out_warm_up(const SessionFacts& facts, JudgedPeriods& judged) {
  WarmUp warm_up = find_warm_up_steps(facts, judged.periods);
  const auto steady = judged.periods.begin() + static_cast<std::ptrdiff_t>(warm_up.steps);
  judged.warm_up.assign(judged.periods.begin(), steady);
  judged.warm_up_excess = std::move(warm_up.excess);
  judged.periods.erase(judged.periods.begin(), steady);
}

/// Marks without device work, where others have some: a server that looked for requests and found none.
void leave_out_empty_steps(const SessionFacts& facts, JudgedPeriods& judged) {
  std::set<std::pair<size_t, int64_t>> with_work;  // run of the whole, where each has its own, and step
  const bool together = has_common_clock(facts.session());
  const auto key = [&](size_t run, int64_t step) { return std::pair(together ? 0 : run, step); };
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    for (const Step& step : facts.steps(run)) {
      if (step.device_ops > 0) with_work.insert(key(facts.place_in_whole(run), step.number));
    }
  }
  if (with_work.empty()) return;
  std::erase_if(judged.periods, [&](const Period& period) {
    if (!period.step || with_work.contains(key(period.run, *period.step))) return false;
    ++judged.empty_marks;
    judged.time_of_empty_marks += period.end - period.begin;
    return true;
  });
}

/// The time between marks belongs to the step after it, where it is kBetweenMarks or more of all.
void add_time_before_marks(const SessionFacts& facts, const std::vector<Period>& steps, JudgedPeriods& judged) {
  const bool together = has_common_clock(facts.session());
  std::map<std::pair<size_t, int64_t>, const Period*> step_before;  // of a step by its end
  std::map<size_t, const Period*> last;                             // by run, where each has its own
  for (const Period& step : steps) {
    const Period*& before = last[together ? 0 : step.run];
    if (before != nullptr) step_before[{step.run, step.end}] = before;
    before = &step;
  }
  const auto before_of = [&](const Period& period) -> const Period* {
    const auto found = step_before.find({period.run, period.end});
    return found == step_before.end() || found->second->end > period.begin ? nullptr : found->second;
  };
  int64_t between = 0;
  for (const Period& period : judged.periods) {
    if (const Period* before = before_of(period)) between += period.begin - before->end;
  }
  if (static_cast<double>(between) < kBetweenMarks * static_cast<double>(judged.length() + between)) return;
  for (Period& period : judged.periods) {
    const Period* before = before_of(period);
    if (before == nullptr) continue;
    period.begin = before->end;
    period.first = before->last;
    period.has_time_before_mark = true;
  }
}

/// The steps that do not show what the program does in the long run.
void leave_out_steps(const SessionFacts& facts, JudgedPeriods& judged) {
  const std::vector<Period> steps = judged.periods;
  leave_out_empty_steps(facts, judged);
  if (judged.periods.size() < 2) return;
  leave_out_cut_step(facts, judged);
  leave_out_earlier_work(facts, judged);
  leave_out_warm_up(facts, judged);
  add_time_before_marks(facts, steps, judged);
}

/// What the devices of the only run do in the first period until their first op begins, where that is work from before
/// the recording.
void leave_out_edge(const SessionFacts& facts, JudgedPeriods& judged) {
  if (facts.session().runs.size() != 1 || judged.periods.empty()) return;
  const Timeline& timeline = facts.run(0).timeline;
  const ProfileEdges edges(timeline);
  int64_t until = INT64_MAX;
  for (TrackIndex stream = 0; stream < timeline.tracks.size(); ++stream) {
    if (edges.earlier_work_until(stream) != INT64_MIN) until = std::min(until, edges.earlier_work_until(stream));
  }
  Period& first = judged.periods.front();
  const DependencyGraph& graph = facts.whole().dependencies();
  const int64_t end = until == INT64_MAX ? INT64_MIN : until - graph.zero(first.run);
  if (end <= first.begin || end >= first.end) return;
  if (static_cast<double>(end - first.begin) < kLeastEdge * static_cast<double>(judged.length())) return;
  constexpr double kLittle = 0.01;
  int64_t work = 0;  // of the recording, on other streams or devices
  for_each_device_op(timeline, [&](OpIndex, SliceIndex op) {
    const Interval time{timeline.slices.start[op], timeline.slices.end(op)};
    if (time.begin < until && time.begin - graph.zero(first.run) >= first.begin) work += time.end - time.begin;
  });
  if (static_cast<double>(work) >= kLittle * static_cast<double>(end - first.begin)) return;
  judged.edge = end - first.begin;
  first.begin = end;
  first.first = last_moment(graph, first.run, end);
}

}  // namespace

int64_t JudgedPeriods::length() const {
  int64_t all = 0;
  for (const Period& period : periods) all += period.end - period.begin;
  return all;
}

std::vector<int64_t> JudgedPeriods::begins(const SessionFacts& facts) const {
  const DependencyGraph& graph = facts.whole().dependencies();
  std::vector<std::optional<int64_t>> first(facts.whole().session().runs.size());
  const auto begins_at = [&](size_t run, int64_t time) { first[run] = std::min(first[run].value_or(INT64_MAX), time); };
  if (!are_steps() || edge > 0) {
    for (const Period& period : periods) begins_at(period.run, period.begin);
  }
  for (size_t run = 0; run < facts.session().runs.size() && are_steps() && edge == 0; ++run) {
    const auto& part = facts.run(run).part_of;
    const auto extent = part ? extent_of(facts.run(run)) : std::nullopt;
    if (extent) begins_at(part->run, extent->begin - graph.zero(part->run));
  }
  std::vector<int64_t> found;
  for (const auto& begin : first) found.push_back(begin.value_or(0));
  if (found.size() < 2 || !has_common_clock(facts.whole().session())) return found;
  const auto earliest = std::min_element(first.begin(), first.end(), [](const auto& a, const auto& b) {
    return a.value_or(INT64_MAX) < b.value_or(INT64_MAX);
  });
  return std::vector<int64_t>(found.size(), earliest->value_or(0));
}

JudgedPeriods judged_periods(const SessionFacts& facts) {
  JudgedPeriods judged;
  judged.periods = periods_of_session(facts, Unmarked::loop);
  if (!judged.are_steps()) {
    std::vector<Period> repetitions = periods_of_repetitions(facts);
    judged.are_repetitions = !repetitions.empty();
    if (judged.are_repetitions) judged.periods = std::move(repetitions);
  } else {
    leave_out_steps(facts, judged);
  }
  leave_out_edge(facts, judged);
  return judged;
}

}  // namespace cgpu
