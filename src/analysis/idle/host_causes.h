// Which causes of idle time the host threads of a run show, and when.
//
// O(n) in the slices of the run at first. When a thread is first asked for, its time is split into sorted disjoint
// pieces with one cause each: O(m log m) in those of its slices that stand for a cause. After that, a question about an
// interval costs O(log d) and the pieces in it, d being the number of pieces since the last question. The first wait
// for another thread costs O(n log n) and 4 bytes a host slice (awaited_threads.h).
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/idle/awaited_threads.h"
#include "analysis/idle/idle_causes.h"
#include "analysis/idle/profile_edges.h"
#include "analysis/idle/sampled_host.h"
#include "base/interval_set.h"
#include "base/out_of_core.h"
#include "base/partition_point_near.h"
#include "model/timeline.h"

namespace cgpu {

class HostCauses {
 public:
  /// When a thread waited for other ranks.
  struct Wait {
    TrackIndex thread = kNone;
    Interval time;
  };

  /// Those of a rank. Of the hosts of thousands of ranks they are out of core.
  using Waits = OutOfCoreVector<Wait>;

  /// `tree`: of the run, where it has one.
  explicit HostCauses(const Timeline& timeline, const Waits& waits = {}, const CallTree* tree = nullptr);

  /// Calls visit(time, cause, slice) for the pieces of `time` that have a cause, in order. The first of these that
  /// holds gives the cause of a moment:
  /// 1. profiler_overhead: the profiler was at work on any thread;
  /// 2. what the driver did late;
  /// 3. a wait of `thread` for messages of other ranks;
  /// 4. the innermost slice of `thread`, or its wait in a collective, that has a cause;
  /// 5. the call in which `thread` slept or polled.
  /// Where `thread` waited for another thread of the process (awaited_threads.h), the causes of that other thread
  /// replace its own: host_code where that one only computed. `slice` is the slice that the cause was read from; kNone
  /// for a wait whose collective is not found. Not to be called from several threads at once.
  template <typename Visit>
  void for_each_piece(TrackIndex thread, Interval time, Visit visit) {
    const Pieces& pieces = pieces_of(thread);
    size_t& asked = threads_[thread].asked;
    asked = partition_point_near(0, pieces.size(), asked, [&](size_t i) { return pieces[i].time.end <= time.begin; });
    for (size_t i = asked; i < pieces.size() && pieces[i].time.begin < time.end; ++i) {
      const Piece& piece = pieces[i];
      visit(Interval{std::max(piece.time.begin, time.begin), std::min(piece.time.end, time.end)}, piece.cause,
            piece.slice);
    }
  }

  /// What samples say, where calls do not.
  const SampledHost& sampled() const { return sampled_; }
  const ProfileEdges& edges() const { return edges_; }

 private:
  struct Piece {
    Interval time;
    IdleCause cause;
    SliceIndex slice = kNone;
  };
  using Pieces = std::vector<Piece>;
  struct Thread {
    Pieces named;     // slices that stand for what a thread did, then waits
    Pieces ways;      // those that tell how it waited, and when it polled
    Pieces messages;  // waits for those of other ranks, whatever it did in them
    std::vector<Interval> taking_requests;
    std::optional<Pieces> own;     // what it did, once asked for
    std::optional<Pieces> pieces;  // the same with what other threads did that it waited for
    size_t asked = 0;              // the first piece of the last answer: gaps come in order of time
  };

  void add_waits(const Timeline& timeline, const Waits& waits);
  const Pieces& pieces_of(TrackIndex thread);
  const Pieces& own_pieces_of(TrackIndex thread);
  /// These of a thread, and in the place of its waits for another thread what that one did.
  Pieces with_awaited_threads(TrackIndex thread, const Pieces& own);
  void add_work_of(TrackIndex other, Interval time, Pieces& pieces);
  /// Of a thread, which then has them no more.
  Pieces split(Thread& thread) const;
  static Pieces innermost(Pieces slices);
  static Pieces below(Pieces top, Pieces more);

  const Timeline& timeline_;
  ThreadWaits thread_waits_;
  std::vector<Thread> threads_;            // by track
  std::optional<AwaitedThreads> awaited_;  // once there is a wait
  SampledHost sampled_;
  ProfileEdges edges_;
  Pieces everywhere_;  // of the profiler and of the driver: on all threads
};

}  // namespace cgpu
