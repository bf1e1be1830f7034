// Applies a selection to runs that are not open at the same time. The result is that of select() (selection.h) for runs
// that are.
//
// A first look at every rank, whose timeline is released again, says which ranks and devices there are, how their
// clocks differ, and when the session begins. Then each run is opened once more, alone, and cut down by itself.
#pragma once

#include <mutex>
#include <vector>

#include "model/run.h"
#include "session/selection/selection.h"

namespace cgpu {

/// Several threads may each select in a run at once.
class SelectedRuns {
 public:
  /// Whether the selection can be applied run by run. It cannot for a window on selected devices, whose time 0 depends
  /// on what is left, for one thread of a call tree, and for selected tracks.
  static bool can_select(const Selection& selection);

  /// `session`: runs that have been released, on one clock. Drops those of other ranks. Throws Error for what the
  /// session does not have.
  SelectedRuns(Session& session, const Selection& selection);

  /// Whether a run is of several ranks and not all of them may be selected.
  static bool is_of_several_ranks(const Run& run);

  /// `again`: a run of the session, opened once more; the result is its selected part, as a session of its own.
  Session select_in(size_t run, Run again);

  /// When all have been selected in: what the session of the selected parts says of its times. Throws Error for steps
  /// that no run has.
  void finish(Session& session) const;

 private:
  const Session& session_;
  const Selection& selection_;
  std::vector<int64_t> zeros_;
  std::mutex mutex_;  // of this
  KnownSteps known_steps_;
};

}  // namespace cgpu
