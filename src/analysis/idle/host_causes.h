// What host threads did, as far as it explains why a device stands idle.
//
// A thread is cut, when it is first asked for, into sorted disjoint pieces of time that have a cause. O(n log n) in its
// slices that name a cause, once; then O(log n) besides the pieces that are visited. The slow way it equals: for every
// nanosecond look at all slices of the thread.
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
  /// Time that a thread spent waiting for other ranks.
  struct Wait {
    TrackIndex thread = kNone;
    Interval time;
  };

  explicit HostCauses(const Timeline& timeline, const std::vector<Wait>& waits = {});

  /// Calls visit(length, cause) for the pieces of `time` that have a cause by what ran on the thread: overhead of the
  /// profiler on any thread, else the innermost slice (or wait) that names a cause; a lock only where no other does.
  template <typename Visit>
  void for_each_piece(TrackIndex thread, Interval time, Visit visit) {
    const std::vector<Piece>& pieces = pieces_of(thread);
    auto piece =
        std::partition_point(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.time.end <= time.begin; });
    for (; piece != pieces.end() && piece->time.begin < time.end; ++piece) {
      visit(std::min(piece->time.end, time.end) - std::max(piece->time.begin, time.begin), piece->cause);
    }
  }

 private:
  struct Piece {
    Interval time;
    IdleCause cause;
  };
  struct Thread {
    std::vector<Piece> named;  // slices that name a cause, in file order
    std::vector<Interval> locks;
    std::optional<std::vector<Piece>> pieces;
  };

  const std::vector<Piece>& pieces_of(TrackIndex thread);
  std::vector<Piece> cut(const Thread& thread) const;
  static std::vector<Piece> innermost(std::vector<Piece> slices);

  std::vector<Thread> threads_;  // by track
  IntervalSet overhead_;
};

}  // namespace cgpu
