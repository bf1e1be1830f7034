// Which causes of idle time the host threads of a run show, and when.
//
// O(n) in the slices of the run at first. When a thread is first asked for, its time is split into sorted disjoint
// pieces with one cause each: O(m log m) in those of its slices that stand for a cause. After that, a question about an
// interval costs O(log m) and the pieces in it.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/idle/idle_causes.h"
#include "base/interval_set.h"
#include "model/timeline.h"

namespace cgpu {

class HostCauses {
 public:
  /// When a thread waited for other ranks.
  struct Wait {
    TrackIndex thread = kNone;
    Interval time;
  };

  explicit HostCauses(const Timeline& timeline, const std::vector<Wait>& waits = {});

  /// Calls visit(piece, cause) for the pieces of `time` that have a cause: profiler_overhead where the profiler was at
  /// work on any thread, else that of the innermost slice or wait of `thread` that stands for one; lock only where
  /// nothing else does. Not to be called from several threads at once.
  template <typename Visit>
  void for_each_piece(TrackIndex thread, Interval time, Visit visit) {
    const std::vector<Piece>& pieces = pieces_of(thread);
    auto piece =
        std::partition_point(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.time.end <= time.begin; });
    for (; piece != pieces.end() && piece->time.begin < time.end; ++piece) {
      visit(Interval{std::max(piece->time.begin, time.begin), std::min(piece->time.end, time.end)}, piece->cause);
    }
  }

 private:
  struct Piece {
    Interval time;
    IdleCause cause;
  };
  struct Thread {
    std::vector<Piece> named;  // slices that stand for a cause other than lock, in file order, then waits
    std::vector<Interval> locks;
    std::optional<std::vector<Piece>> pieces;  // once asked for
  };

  const std::vector<Piece>& pieces_of(TrackIndex thread);
  std::vector<Piece> split(const Thread& thread) const;
  static std::vector<Piece> innermost(std::vector<Piece> slices);

  std::vector<Thread> threads_;  // by track
  IntervalSet overhead_;
};

}  // namespace cgpu
