#include "analysis/critical_path/replayed_periods.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/device/device_ops.h"
#include "analysis/session_clock.h"
#include "model/plausible.h"

namespace cgpu {

ReplayedPeriods::ReplayedPeriods(const SessionFacts& whole, const std::vector<Period>& periods)
    : whole_(whole), together_(whole.session().runs.size() > 1 && has_common_clock(whole.session())) {
  all_ = periods_of_session(whole);
  std::map<std::pair<size_t, int64_t>, size_t> steps;  // by run, where each has its own, and end
  const auto key = [&](size_t run, int64_t end) { return std::pair(together_ ? 0 : run, end); };
  for (size_t place = 0; place < all_.size(); ++place) {
    if (all_[place].step) steps.emplace(key(all_[place].run, all_[place].end), place);
  }
  for (const Period& period : periods) {
    const auto step = steps.find(key(period.run, period.end));
    if (step == steps.end() || all_[step->second].step != period.step) break;
    const auto before = period.has_time_before_mark ? steps.find(key(period.run, period.begin)) : steps.end();
    const bool is_whole =
        period.has_time_before_mark ? before != steps.end() : all_[step->second].begin == period.begin;
    if (!is_whole) break;
    asked_.push_back({step->second, before == steps.end() ? std::nullopt : std::optional(before->second)});
  }
  owner_.assign(whole.dependencies().moments().size(), kNone);
  if (asked_.size() == periods.size()) {
    own_by_marks();
    return;
  }
  all_ = periods;
  asked_.resize(all_.size());
  for (size_t i = 0; i < all_.size(); ++i) asked_[i] = {i, std::nullopt};
  own_by_time();
}

/// Steps own what their marks enclose, and the device ops that are launched there; of an op without a launch, the step
/// that it runs in.
void ReplayedPeriods::own_by_marks() {
  const DependencyGraph& graph = whole_.dependencies();
  struct Mark {
    Interval time;  // on the run's clock
    uint32_t period = 0;
    int64_t all_until = INT64_MIN;  // the latest end of this and of those before
  };
  std::vector<std::vector<Mark>> marks(whole_.session().runs.size());  // by run, in order
  for (size_t run = 0; run < marks.size(); ++run) {
    std::map<int64_t, uint32_t> by_step;  // by its number, of all runs together; by its mark, of one
    for (uint32_t place = 0; place < all_.size(); ++place) {
      const Period& period = all_[place];
      if (!period.step || (!together_ && period.run != run)) continue;
      by_step.emplace(together_ ? *period.step : int64_t{period.mark}, place);
    }
    const Slices& slices = whole_.run(run).timeline.slices;
    for (const Step& step : whole_.steps(run)) {
      const auto period = by_step.find(together_ ? step.number : int64_t{step.mark});
      if (period == by_step.end() || step.time.end <= step.time.begin) continue;  // an empty one is no period
      const Interval time{slices.start[step.mark], slices.end(step.mark)};
      marks[run].push_back({time, period->second});
      const int64_t begin = time.begin - graph.zero(run);
      const MomentIndex moment = last_moment(graph, run, begin);
      begins_.push_back({period->second, moment, begin - graph.moments()[moment].time});
    }
  }
  std::ranges::stable_sort(begins_, [](const Begin& a, const Begin& b) { return a.period < b.period; });
  for (std::vector<Mark>& of_run : marks) {
    int64_t until = INT64_MIN;
    for (Mark& mark : of_run) mark.all_until = until = std::max(until, mark.time.end);
  }
  for (MomentIndex at = 0; at < owner_.size(); ++at) {
    const Moment& moment = graph.moments()[at];
    if (moment.slice == kNone) continue;
    const Timeline& t = whole_.run(moment.run).timeline;
    int64_t time = moment.time + graph.zero(moment.run);
    bool ends = moment.kind == Moment::Kind::end;  // of the host: in the mark before it, where two meet
    if (is_device_op(t.kind(moment.slice))) {
      ends = false;
      const SliceIndex call = launch_of(t, moment.slice);
      if (call != kNone) time = t.slices.start[call];
    }
    const std::vector<Mark>& of_run = marks[moment.run];
    auto mark = std::upper_bound(of_run.begin(), of_run.end(), time,
                                 [](int64_t when, const Mark& one) { return when < one.time.begin; });
    while (mark != of_run.begin()) {  // the first that encloses it
      --mark;
      const bool encloses = ends ? mark->time.begin < time && time <= mark->time.end : time < mark->time.end;
      if (encloses) owner_[at] = mark->period;
      if (mark->all_until < time) break;
    }
  }
}

void ReplayedPeriods::own_by_time() {
  const DependencyGraph& graph = whole_.dependencies();
  for (uint32_t place = 0; place < all_.size(); ++place) {
    const Period& period = all_[place];
    for (MomentIndex at = period.first + 1; at <= period.last; ++at) {
      if (together_ || graph.moments()[at].run == period.run) owner_[at] = place;
    }
    begins_.push_back({place, period.first, period.begin - graph.moments()[period.first].time});
  }
}

std::vector<ReplayedPeriod> ReplayedPeriods::at(const std::vector<int64_t>& times, const std::set<size_t>& but) const {
  const auto moments = whole_.dependencies().moments();
  const auto counts = [&](MomentIndex at) { return !but.contains(moments[at].run); };
  std::vector<ReplayedPeriod> all(all_.size());
  for (size_t i = 0; i < all_.size(); ++i) {
    const MomentIndex last = all_[i].last;  // of those that come last at the same time, as measured
    const bool own = owner_[last] == i && counts(last);
    all[i] = {.last = last, .begin = INT64_MAX, .end = own ? times[last] : INT64_MIN};
  }
  for (MomentIndex at = 0; at < owner_.size(); ++at) {
    if (owner_[at] == kNone || !counts(at)) continue;
    ReplayedPeriod& period = all[owner_[at]];
    if (times[at] <= period.end) continue;
    period.end = times[at];
    period.last = at;
  }
  for (const Begin& begin : begins_) {
    int64_t& found = all[begin.period].begin;
    found = std::min(found, times[begin.moment] + begin.later);
  }
  for (size_t i = 0; i < all_.size(); ++i) {
    if (i > 0 && (together_ || all_[i - 1].run == all_[i].run)) all[i].begin = std::max(all[i].begin, all[i - 1].end);
    all[i].end = std::max(all[i].end, all[i].begin);
  }
  std::vector<ReplayedPeriod> replayed;
  for (const Asked& asked : asked_) {
    replayed.push_back(all[asked.place]);
    if (asked.after) replayed.back().begin = all[*asked.after].end;
  }
  return replayed;
}

}  // namespace cgpu
