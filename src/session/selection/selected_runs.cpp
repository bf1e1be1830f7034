#include "session/selection/selected_runs.h"

#include <utility>

#include "analysis/session_clock.h"
#include "links/profile_selection.h"

namespace cgpu {

bool SelectedRuns::can_select(const Selection& selection) {
  return selection.profile.empty() && !selection.takes && (selection.devices.empty() || !selection.has_window());
}

bool SelectedRuns::is_of_several_ranks(const Run& run) {
  return !run.rank_known && !ranks_inside(run).empty();
}

SelectedRuns::SelectedRuns(Session& session, const Selection& selection) : session_(session), selection_(selection) {
  if (!selection.ranks.empty()) select_ranks(session, selection.ranks);
  if (!selection.devices.empty()) check_devices(session, selection.devices);
  selection.check_window();
  zeros_ = time_zeros(session);
}

Session SelectedRuns::select_in(size_t run, Run again) {
  const Run& known = session_.runs[run];
  again.number = known.number;
  again.rank = known.rank;
  again.rank_known = known.rank_known;
  again.claimed_rank = known.claimed_rank;
  again.clock_is_unix = known.clock_is_unix;
  again.clock_base = known.clock_base;
  again.clock = known.clock;
  again.notes = known.notes;
  Session alone;
  alone.inputs = session_.inputs;
  alone.runs.push_back(std::move(again));
  if (!selection_.devices.empty()) {
    select_devices(alone.runs[0], [&](int32_t device) { return selection_.devices.contains(device); });
  }
  if (!selection_.has_window()) return alone;
  std::vector<Step> steps;
  if (selection_.steps) {
    steps = SessionFacts(alone).steps(0);
    const std::lock_guard lock(mutex_);
    known_steps_.add(steps);
  }
  select_windows(alone, {window_of_run(selection_, zeros_[run], steps)});
  alone.zeros = {zeros_[run]};
  return alone;
}

void SelectedRuns::finish(Session& session) const {
  if (selection_.steps) known_steps_.check(*selection_.steps);
  if (selection_.has_window()) session.zeros = zeros_;
}

}  // namespace cgpu
