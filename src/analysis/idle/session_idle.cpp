#include "analysis/idle/session_idle.h"

#include <algorithm>

#include "analysis/ranks/rank_waits.h"

namespace cgpu {

SessionIdle::SessionIdle(const Session& session)
    : session_(session), whole_(session.whole ? *session.whole : session), hosts_(whole_.runs.size()) {}

SessionIdle::SessionIdle(const Session& session, std::vector<HostCauses::Wait> waits_for_others)
    : SessionIdle(session) {
  std::call_once(waits_once_, [&] { waits_ = {std::move(waits_for_others)}; });
}

SessionIdle::SessionIdle(const Session& part, SessionIdle& whole)
    : session_(part), whole_(whole.whole_), of_whole_(&whole.keeper()) {}

template <typename Visit>
void SessionIdle::with_host(size_t run, const std::vector<OpIndex>& ops, Visit visit) {
  OpsInWhole there = ops_in_whole(session_, run, ops);
  Host& host = keeper().hosts_[there.run];
  const std::lock_guard lock(host.mutex);
  keeper().causes_of(there.run);
  const auto& part = session_.runs[run].part_of;
  visit(there, host, [&](const IdleGap& gap, const auto& pass_on) {
    if (!part) return pass_on(gap);
    IdleGap own = gap;
    own.waking_op =
        static_cast<OpIndex>(std::lower_bound(part->ops.begin(), part->ops.end(), gap.waking_op) - part->ops.begin());
    pass_on(own);
  });
}

void SessionIdle::for_each_gap(size_t run, const std::vector<OpIndex>& ops,
                               const std::function<void(const IdleGap&)>& visit) {
  with_host(run, ops, [&](OpsInWhole& there, Host& host, const auto& place) {
    for_each_idle_gap(there.timeline, std::move(there.ops), *host.causes,
                      [&](const IdleGap& gap) { place(gap, visit); });
  });
}

void SessionIdle::for_each_gap(size_t run, const std::vector<OpIndex>& ops,
                               const std::function<void(const IdleGap&, const std::vector<IdlePart>&)>& visit) {
  with_host(run, ops, [&](OpsInWhole& there, Host& host, const auto& place) {
    if (!host.culprits) host.culprits = std::make_unique<IdleCulprits>(there.timeline);
    for_each_idle_gap(there.timeline, std::move(there.ops), *host.causes, *host.culprits,
                      [&](const IdleGap& gap, const std::vector<IdlePart>& parts) {
                        place(gap, [&](const IdleGap& own) { visit(own, parts); });
                      });
  });
}

void SessionIdle::for_each_host_piece(size_t run, TrackIndex thread, Interval time,
                                      const std::function<void(Interval, IdleCause, SliceIndex)>& visit) {
  const std::lock_guard lock(keeper().hosts_[run].mutex);
  keeper().causes_of(run).for_each_piece(thread, time, visit);
}

HostCauses& SessionIdle::causes_of(size_t run) {
  std::call_once(waits_once_, [&] { waits_ = rank_waits(whole_); });
  Host& host = hosts_[run];
  const std::optional<CallTree>& tree = whole_.runs[run].call_tree;
  if (!host.causes) {
    host.causes = std::make_unique<HostCauses>(whole_.runs[run].timeline, waits_[run], tree ? &*tree : nullptr);
  }
  return *host.causes;
}

}  // namespace cgpu
