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
  std::call_once(waits_once_, [&] { waits_ = rank_waits(whole_); });
  OpsInWhole there = ops_in_whole(session_, run, ops);
  Host& host = hosts_[there.run];
  const std::lock_guard lock(host.mutex);
  if (!host.causes) host.causes = std::make_unique<HostCauses>(there.timeline, waits_[there.run]);
  const auto& part = session_.runs[run].part_of;
  for_each_idle_gap(there.timeline, std::move(there.ops), *host.causes, [&](IdleGap gap) {
    if (part) {
      const auto at = std::lower_bound(part->ops.begin(), part->ops.end(), gap.waking_op);
      gap.waking_op = static_cast<OpIndex>(at - part->ops.begin());
    }
    visit(gap);
  });
}

}  // namespace cgpu
