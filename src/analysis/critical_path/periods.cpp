#include "analysis/critical_path/periods.h"

#include <algorithm>
#include <map>

#include "analysis/device/device_ops.h"
#include "analysis/idle/idle_causes.h"
#include "analysis/session_clock.h"
#include "analysis/steps/repeated_sequence.h"

namespace cgpu {

MomentIndex last_moment(const DependencyGraph& graph, size_t run, int64_t time) {
  const auto moments = graph.moments();
  MomentIndex found = 0;
  for (MomentIndex at = graph.last_until(time); at > 0; --at) {
    const Moment& moment = moments[at];
    if (found != 0 && moment.time < moments[found].time) break;
    if (moment.run != run || moment.slice == kNone) continue;
    if (found == 0) found = at;
    if (moment.kind == Moment::Kind::end) return at;
  }
  return found;
}

namespace {

Period period_of(const DependencyGraph& graph, size_t run, std::optional<int64_t> step, Interval time) {
  Period period{run, step};
  period.begin = std::max<int64_t>(time.begin, 0);
  period.first = last_moment(graph, run, period.begin);
  period.last = last_moment(graph, run, time.end);
  period.end = std::max(graph.moments()[period.last].time, period.begin);
  return period;
}

/// From the first to the last moment of each run; empty where it has none.
std::vector<Interval> extents_of_runs(const DependencyGraph& graph, size_t runs) {
  std::vector<Interval> extents(runs, {INT64_MAX, INT64_MIN});
  for (const Moment& moment : graph.moments()) {
    if (moment.slice == kNone) continue;
    Interval& extent = extents[moment.run];
    extent = {std::min(extent.begin, moment.time), std::max(extent.end, moment.time)};
  }
  return extents;
}

/// Of a run, on its clock: Unmarked::loop. Empty where it has no device ops.
std::optional<Interval> loop_of_run(const Timeline& t) {
  Interval loop{INT64_MAX, INT64_MIN};  // at first of the device ops
  SliceIndex first_call = kNone;
  for_each_device_op(t, [&](OpIndex, SliceIndex op) {
    loop.begin = std::min(loop.begin, t.slices.start[op]);
    loop.end = std::max(loop.end, t.slices.end(op));
    const SliceIndex call = launch_of(t, op);
    if (call == kNone) return;
    if (first_call == kNone || t.slices.start[call] < t.slices.start[first_call]) first_call = call;
  });
  if (loop.begin > loop.end) return std::nullopt;
  if (first_call == kNone || t.slices.start[first_call] >= loop.begin) return loop;
  loop.begin = std::max(t.slices.start[first_call], std::min(t.slices.end(first_call), loop.begin - kLongestStart));
  return loop;
}

bool launches_from_one_thread(const SessionFacts& facts) {
  const Slices& slices = facts.run(0).timeline.slices;
  const std::vector<LaunchingCall>& calls = facts.launching_calls(0);
  return std::ranges::all_of(
      calls, [&](const LaunchingCall& one) { return slices.track[one.call] == slices.track[calls.front().call]; });
}

}  // namespace

std::vector<Period> periods_of_runs(const SessionFacts& facts, Unmarked unmarked) {
  const DependencyGraph& graph = facts.whole().dependencies();
  std::vector<Period> periods;
  std::vector<Interval> extents;  // once needed
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    const auto& part = facts.run(run).part_of;
    const size_t in_whole = facts.place_in_whole(run);
    const int64_t zero = graph.zero(in_whole);
    const auto append = [&](std::optional<int64_t> step, Interval time, SliceIndex mark = kNone) {
      Period period = period_of(graph, in_whole, step, time);
      period.mark = mark;
      if (period.end > period.begin) periods.push_back(period);
    };
    for (const Step& step : facts.steps(run)) {
      append(step.number, {step.time.begin - zero, step.time.end - zero}, step.mark);
    }
    if (!facts.steps(run).empty()) continue;
    if (unmarked == Unmarked::loop) {
      if (const auto loop = loop_of_run(facts.run(run).timeline))
        append(std::nullopt, {loop->begin - zero, loop->end - zero});
      continue;
    }
    if (const auto extent = part ? extent_of(facts.run(run)) : std::nullopt) {
      append(std::nullopt, {extent->begin - zero, extent->end - zero});
    } else if (!part) {
      if (extents.empty()) extents = extents_of_runs(graph, facts.session().runs.size());
      if (extents[run].begin < extents[run].end) append(std::nullopt, extents[run]);
    }
  }
  return periods;
}

std::vector<Period> periods_of_session(const SessionFacts& facts, Unmarked unmarked) {
  std::vector<Period> all = periods_of_runs(facts, unmarked);
  if (facts.session().runs.size() < 2 || !has_common_clock(facts.session())) return all;
  std::map<std::optional<int64_t>, Period> by_step;
  for (const Period& period : all) {
    const auto [known, added] = by_step.emplace(period.step, period);
    if (added) continue;
    // Without marks the last run to launch ends the start of all: the others had to wait for it.
    const bool is_unmarked = unmarked == Unmarked::loop && !period.step;
    const bool begins = is_unmarked ? period.begin > known->second.begin : period.begin < known->second.begin;
    if (begins) {
      known->second.begin = period.begin;
      known->second.first = period.first;
    }
    if (period.end <= known->second.end) continue;
    known->second.end = period.end;
    known->second.last = period.last;
    known->second.run = period.run;
  }
  std::vector<Period> periods;
  for (const auto& [step, period] : by_step) periods.push_back(period);
  std::ranges::stable_sort(periods, [](const Period& a, const Period& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < periods.size(); ++i) {  // no step begins before the one before it has ended on all ranks
    if (periods[i].begin >= periods[i - 1].end) continue;
    periods[i].begin = periods[i - 1].end;
    periods[i].first = periods[i - 1].last;
  }
  std::erase_if(periods, [](const Period& period) { return period.end <= period.begin; });
  return periods;
}

std::vector<int64_t> period_ends(const SessionFacts& whole) {
  const std::span<const Moment> moments = whole.dependencies().moments();
  const size_t runs = whole.session().runs.size();
  const bool together = has_common_clock(whole.session());
  const auto list_of = [&](size_t run) { return together ? 0 : run; };
  std::vector<std::vector<int64_t>> ends(std::max<size_t>(runs, 1));  // a graph without runs has its start
  for (const Period& period : periods_of_session(whole)) {
    ends[list_of(period.run)].push_back(period.end);
  }
  for (std::vector<int64_t>& of_run : ends) std::sort(of_run.begin(), of_run.end());
  std::vector<int64_t> found;
  found.reserve(moments.size());
  for (const Moment& moment : moments) {
    const std::vector<int64_t>& of_run = ends[list_of(moment.run)];
    const auto next = std::lower_bound(of_run.begin(), of_run.end(), moment.time);
    found.push_back(next == of_run.end() ? moments.back().time : *next);
  }
  return found;
}

std::vector<Period> periods_of_repetitions(const SessionFacts& facts) {
  if (facts.session().runs.size() != 1 || facts.run(0).part_of || !facts.steps(0).empty()) return {};
  const DependencyGraph& graph = facts.dependencies();
  const int64_t zero = graph.zero(0);
  std::vector<Period> periods;
  double repeated = 0;  // ns
  for (const Interval& repetition : find_repetitions(facts.run(0).timeline)) {
    const auto number = static_cast<int64_t>(periods.size());
    Interval time{};  // on the clock of the session; what lies outside of 64 bits there is in no graph
    if (__builtin_sub_overflow(repetition.begin, zero, &time.begin)) continue;
    if (__builtin_sub_overflow(repetition.end, zero, &time.end)) continue;
    const Period period = period_of(graph, 0, number, time);
    if (period.end <= period.begin) continue;
    repeated += static_cast<double>(period.end) - static_cast<double>(period.begin);
    periods.push_back(period);
  }
  // Of many the start, in which the context is created, and the end are left out. Of several threads what one repeats
  // may bind the others.
  constexpr size_t kMany = 10;
  const bool is_loop = periods.size() >= kMany && launches_from_one_thread(facts);
  const auto loop = is_loop ? loop_of_run(facts.run(0).timeline) : std::nullopt;
  const Interval extent = loop.value_or(extents_of_runs(graph, 1).front());
  const double whole = static_cast<double>(extent.end) - static_cast<double>(extent.begin);
  if (repeated < kLeastRepeated * whole) return {};
  return periods;
}

}  // namespace cgpu
