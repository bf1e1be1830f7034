// The idle gaps of the devices of a session, with their causes.
//
// Of a session that is a part of another one (Session::whole) the gaps are those between its own device ops, but their
// causes are looked for in the whole: the call that launched the op after a gap, and what its thread did, may lie
// outside of the part. Costs O(n log n) in the slices once, for the waits for other ranks, HostCauses and, where
// they are asked for, culprits; then what idle_gaps.h says for each visit.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "analysis/idle/idle_gaps.h"

namespace cgpu {

class SessionIdle {
 public:
  /// What the synchronisations of a run of the whole session waited for. Asked for when first needed.
  using WaitsOfRun = std::function<const Waits&(size_t run)>;

  /// The session, and the waits, must outlive this.
  SessionIdle(const Session& session, WaitsOfRun waits);
  /// Of a session of one rank, with its waits for ranks that are not open.
  SessionIdle(const Session& session, WaitsOfRun waits, HostCauses::Waits waits_for_others);
  /// Of a part of a session whose own gaps are known, and outlive this: what hosts show is found once for both.
  SessionIdle(const Session& part, SessionIdle& whole);

  /// Calls visit(gap) for the gaps between these ops, all of one device of a run, in order of time. Any number of
  /// threads may do so at once; those of one run wait for each other.
  void for_each_gap(size_t run, const std::vector<OpIndex>& ops, const VisitGap& visit);
  /// The same with the parts of each gap and their culprits, which are slices of the whole's timeline
  /// (ops_in_full_run).
  void for_each_gap(size_t run, const std::vector<OpIndex>& ops, const VisitParts& visit);

  /// Calls visit(piece, cause, slice) for the pieces of a time of a host thread that have a cause (host_causes.h). The
  /// run and its thread are those of the whole, the time is on the run's clock.
  void for_each_host_piece(size_t run, TrackIndex thread, Interval time,
                           const std::function<void(Interval, IdleCause, SliceIndex)>& visit);
  /// The same for the parts that samples of the thread represent (sampled_host.h); the slices are the samples. Neither
  /// may be called from within a visit of for_each_gap.
  void for_each_sample(size_t run, TrackIndex thread, Interval time,
                       const std::function<void(Interval, IdleCause, SliceIndex)>& visit);

 private:
  struct Host;
  /// The one that has the hosts.
  SessionIdle& cache_owner() { return of_whole_ == nullptr ? *this : *of_whole_; }
  /// Of a run of the whole, whose mutex is held.
  HostCauses& causes_of(size_t run);
  /// Calls visit(run of the whole, ops in its timeline, host), with the host locked.
  template <typename Visit>
  void with_host(size_t run, const std::vector<OpIndex>& ops, Visit visit);
  /// A gap of the whole with the numbers of its ops in the session that the run is a part of.
  IdleGap in_part(size_t run, const IdleGap& gap) const;

  const Session& session_;
  const Session& whole_;
  SessionIdle* of_whole_ = nullptr;  // where another one has the hosts
  WaitsOfRun waits_of_run_ = nullptr;
  std::once_flag waits_for_others_once_;
  std::vector<HostCauses::Waits> waits_for_others_;  // by run of the whole
  struct Host {
    std::mutex mutex;
    std::unique_ptr<HostCauses> causes;  // made when first needed
    std::unique_ptr<IdleCulprits> culprits;
  };
  std::deque<Host> hosts_;  // by run of the whole
};

}  // namespace cgpu
