// What a selection keeps of the runs of a session that are not open together: the same as select() (selection.h) does
// where they are.
//
// A first look at every rank, whose timeline is released again, says which ranks and devices there are, how their
// clocks stand, and when the session begins. Then each run is opened once more, alone, and cut down by itself.
#pragma once

#include <mutex>
#include <vector>

#include "model/run.h"
#include "session/selection.h"

namespace cgpu {

/// Several threads may each select in a run at once.
class SelectedRuns {
 public:
  /// Whether this can be told run by run. It cannot of windows on some devices, whose zero is that of what is left, of
  /// one thread of a call tree, and of chosen tracks.
  static bool can_select(const Selection& selection);

  /// `session`: runs that have been released, on one clock. Drops those of other ranks. Throws Error for what the
  /// session does not have.
  SelectedRuns(Session& session, const Selection& selection);

  /// Whether a run is of several ranks, of which not all may be selected.
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
