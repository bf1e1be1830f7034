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

void SessionIdle::for_each_gap(size_t run, const std::vector<OpIndex>& ops,
                               const std::function<void(const IdleGap&)>& visit) {
  OpsInWhole there = ops_in_whole(session_, run, ops);
  const std::lock_guard lock(hosts_[there.run].mutex);
  const auto& part = session_.runs[run].part_of;
  for_each_idle_gap(there.timeline, std::move(there.ops), causes_of(there.run), [&](IdleGap gap) {
    if (part) {
      const auto at = std::lower_bound(part->ops.begin(), part->ops.end(), gap.waking_op);
      gap.waking_op = static_cast<OpIndex>(at - part->ops.begin());
    }
    visit(gap);
  });
}

void SessionIdle::for_each_host_piece(size_t run, TrackIndex thread, Interval time,
                                      const std::function<void(Interval, IdleCause)>& visit) {
  const std::lock_guard lock(hosts_[run].mutex);
  causes_of(run).for_each_piece(thread, time, visit);
}

/// Of a run of the whole, whose mutex is held.
HostCauses& SessionIdle::causes_of(size_t run) {
  std::call_once(waits_once_, [&] { waits_ = rank_waits(whole_); });
  Host& host = hosts_[run];
  if (!host.causes) host.causes = std::make_unique<HostCauses>(whole_.runs[run].timeline, waits_[run]);
  return *host.causes;
}

}  // namespace cgpu
