// How long the periods of a session (periods.h) last in a replay of its graph with other weights.
//
// A step is what its mark encloses: what the host does there, and the device ops that it launches there, whenever they
// run; a host may be several steps ahead of its device, and another number of steps after a change. So a step ends with
// the last of these moments, and begins with its mark, but no earlier than the step before it ends: as table `steps`
// has it (docs/definitions/steps-and-layers.md); one with the time before its mark begins where the step before that
// ends. Other periods have the moments that lie in them as measured.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "analysis/critical_path/periods.h"
#include "analysis/session_facts.h"

namespace cgpu {

struct ReplayedPeriod {
  MomentIndex last = 0;  // of its moments the one that comes last now
  int64_t begin = 0;     // ns after the start of the graph
  int64_t end = 0;
};

class ReplayedPeriods {
 public:
  /// `periods` as periods.h finds them for `whole`, a session that is no part of another, or for a part of it. `whole`
  /// must outlive it. O(moments log steps); 4 bytes a moment.
  ReplayedPeriods(const SessionFacts& whole, const std::vector<Period>& periods);

  /// Where the moments come at these times, the periods in their order; without the moments of the runs `but`.
  /// With the times that were measured they are the periods themselves. O(moments).
  std::vector<ReplayedPeriod> at(const std::vector<int64_t>& times, const std::set<size_t>& but = {}) const;

 private:
  /// Where a period begins by itself: so long after a moment.
  struct Begin {
    size_t period = 0;  // of all_
    MomentIndex moment = 0;
    int64_t later = 0;  // ns
  };
  void own_by_marks();
  void own_by_time();

  const SessionFacts& whole_;
  std::vector<Period> all_;  // all steps, or the periods that were given; those of one run in order of time
  /// A period that was asked for.
  struct Asked {
    size_t place = 0;             // in all_
    std::optional<size_t> after;  // the place of the one with whose end it begins
  };
  std::vector<Asked> asked_;
  std::vector<Begin> begins_;    // in the order of all_; of several runs, each has one
  std::vector<uint32_t> owner_;  // by moment: place in all_, kNone
  bool together_ = false;        // one sequence of periods for all runs
};

}  // namespace cgpu
