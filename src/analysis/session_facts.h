// What follows from a session and several tables and views ask for: computed on first use, once a session.
//
//   fact              found in                            kept
//   zeros             O(n) in the slices, once            8 bytes a run
//   steps             O(n log n) in the slices of a run   a few bytes a step
//   waits             O(n log n) in the synchronisations  about 40 bytes a synchronisation
//   launching calls   O(n) in the device ops of a run     8 bytes a launching call
//   launched ops      O(n log n) in the device ops        8 bytes an op whose launch is known
//   collectives       O(n log n) in the communication     about 30 bytes a collective op, or call of the host
//   messages          O(n) in the slices, once            about 60 bytes a call that waits for messages
//   dependencies      O(n log n) in the device ops        about 170 bytes a device op (dependencies/graph.h)
//   op groups         O(n) in the framework ops, and a    4 bytes a slice
//                     pass over their arguments
//   idle gaps         O(n) in the slices of a run, then   about 24 bytes a slice of the host that names a
//                     O(ops) each time they are visited   cause; with culprits 4 bytes a host slice
//
// Any number of threads may ask at once; the session must outlive the facts and not change.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/host/launch_calls.h"
#include "analysis/host/launched_ops.h"
#include "analysis/idle/session_idle.h"
#include "analysis/op_shapes/op_groups.h"
#include "analysis/steps/step_times.h"
#include "base/once.h"
#include "dependencies/graph.h"
#include "links/collective_series.h"
#include "links/messages.h"
#include "links/waits.h"
#include "model/run.h"

namespace cgpu {

class SessionFacts {
 public:
  explicit SessionFacts(const Session& session);
  /// Where the session is one rank of several that are not open: when its threads waited for the others.
  SessionFacts(const Session& session, HostCauses::Waits waits_for_others);
  /// For runs without timelines: `collectives` returns those of the devices; called on first use.
  SessionFacts(const Session& session, std::function<std::vector<CollectiveSeries>()> collectives);
  /// Of a part of a session (Session::whole) whose own facts are known, and outlive these.
  SessionFacts(const Session& part, const SessionFacts& whole);
  SessionFacts(const SessionFacts&) = delete;
  SessionFacts& operator=(const SessionFacts&) = delete;

  const Session& session() const { return session_; }
  const Run& run(size_t index) const { return session_.runs[index]; }
  /// The place in whole() of a run, which may be a part of that one.
  size_t place_in_whole(size_t run) const {
    const auto& part = session_.runs[run].part_of;
    return part ? part->run : run;
  }

  /// For each run the time on its clock that is shown as 0 (session_clock.h).
  const std::vector<int64_t>& zeros() const;
  /// The iterations of a run, in order of their starts.
  const std::vector<Step>& steps(size_t run) const;
  /// What the synchronisations of a run waited for.
  const Waits& waits(size_t run) const;
  /// The calls of a run that started device work.
  const std::vector<LaunchingCall>& launching_calls(size_t run) const;
  /// The device ops of a run by the call that launched them.
  const LaunchedOps& launched_ops(size_t run) const;
  /// The framework ops of a run, or of a capture that one replays (captured_work.h), by name and inputs.
  const OpGroups& op_groups(const Run& profile) const;
  /// The same where somebody has asked for them; else null.
  const OpGroups* known_op_groups(const Run& profile) const { return op_groups_.known(&profile); }
  /// Communication on devices, matched over the runs.
  const std::vector<CollectiveSeries>& collectives() const;
  /// Blocking collectives of the hosts, likewise. Of timelines.
  const std::vector<CollectiveSeries>& collectives_of_hosts() const;
  /// Messages between the hosts. Of timelines.
  const Messages& messages() const;
  /// What had to wait for what. Not of a part: its dependencies are those of the whole.
  const DependencyGraph& dependencies() const;
  /// The facts of the session that this one is a part of; of a session that is no part, these facts.
  const SessionFacts& whole() const;
  /// The idle gaps of the devices, with their causes.
  SessionIdle& idle() const { return idle_; }

 private:
  struct PerRun {
    Once<std::vector<Step>> steps;
    Once<Waits> waits;
    Once<std::vector<LaunchingCall>> launching_calls;
    Once<LaunchedOps> launched_ops;
  };

  SessionIdle::WaitsOfRun waits_of_whole() const;

  const Session& session_;
  mutable std::deque<PerRun> runs_;
  mutable OnceEach<const Run*, OpGroups> op_groups_;
  mutable Once<std::vector<int64_t>> zeros_;
  const std::function<std::vector<CollectiveSeries>()> known_collectives_;  // null where the timelines tell them
  mutable Once<std::vector<CollectiveSeries>> collectives_;
  mutable Once<std::vector<CollectiveSeries>> collectives_of_hosts_;
  mutable Once<Messages> messages_;
  mutable Once<DependencyGraph> dependencies_;
  const SessionFacts* known_whole_ = nullptr;
  mutable Once<std::unique_ptr<SessionFacts>> whole_;  // where it is not known
  mutable SessionIdle idle_;
};

}  // namespace cgpu
