#include "analysis/session_facts.h"

#include "analysis/session_clock.h"

namespace cgpu {

SessionFacts::SessionFacts(const Session& session)
    : session_(session), runs_(session.runs.size()), idle_(session, waits_of_whole()) {}

SessionFacts::SessionFacts(const Session& session, HostCauses::Waits waits_for_others)
    : session_(session), runs_(session.runs.size()), idle_(session, waits_of_whole(), std::move(waits_for_others)) {}

SessionFacts::SessionFacts(const Session& session, std::function<std::vector<CollectiveSeries>()> collectives)
    : session_(session),
      runs_(session.runs.size()),
      known_collectives_(std::move(collectives)),
      idle_(session, waits_of_whole()) {}

SessionFacts::SessionFacts(const Session& part, const SessionFacts& whole)
    : session_(part), runs_(part.runs.size()), known_whole_(&whole.whole()), idle_(part, whole.idle()) {}

const std::vector<int64_t>& SessionFacts::zeros() const {
  return zeros_.get([&] { return time_zeros(session_); });
}

const std::vector<Step>& SessionFacts::steps(size_t run) const {
  return runs_[run].steps.get([&] { return find_steps(session_.runs[run].timeline); });
}

const Waits& SessionFacts::waits(size_t run) const {
  return runs_[run].waits.get([&] { return Waits(session_.runs[run].timeline); });
}

const std::vector<LaunchingCall>& SessionFacts::launching_calls(size_t run) const {
  return runs_[run].launching_calls.get([&] { return cgpu::launching_calls(session_.runs[run].timeline); });
}

const LaunchedOps& SessionFacts::launched_ops(size_t run) const {
  return runs_[run].launched_ops.get([&] { return LaunchedOps(session_.runs[run].timeline); });
}

const OpGroups& SessionFacts::op_groups(const Run& profile) const {
  return op_groups_.get(&profile, [&] { return group_ops(profile); });
}

const std::vector<CollectiveSeries>& SessionFacts::collectives() const {
  return collectives_.get([&] { return known_collectives_ ? known_collectives_() : device_collectives(session_); });
}

const std::vector<CollectiveSeries>& SessionFacts::collectives_of_hosts() const {
  return collectives_of_hosts_.get([&] { return host_collectives(session_); });
}

const Messages& SessionFacts::messages() const {
  return messages_.get([&] { return Messages(session_, has_common_clock(session_)); });
}

const DependencyGraph& SessionFacts::dependencies() const {
  return dependencies_.get([&] {
    std::vector<RunForGraph> runs;
    for (size_t run = 0; run < session_.runs.size(); ++run) {
      RunForGraph one{&session_.runs[run], &waits(run)};
      for (const Step& step : steps(run)) one.marks.push_back(step.mark);
      runs.push_back(std::move(one));
    }
    return DependencyGraph(runs, {collectives(), collectives_of_hosts(), &messages()}, has_common_clock(session_));
  });
}

SessionIdle::WaitsOfRun SessionFacts::waits_of_whole() const {
  return [this](size_t run) -> const Waits& { return whole().waits(run); };
}

const SessionFacts& SessionFacts::whole() const {
  if (session_.whole == nullptr) return *this;
  if (known_whole_ != nullptr) return *known_whole_;
  return *whole_.get([&] { return std::make_unique<SessionFacts>(*session_.whole); });
}

}  // namespace cgpu
