#include "analysis/idle/session_idle.h"

#include <algorithm>
#include <utility>

#include "analysis/ranks/rank_waits.h"

namespace cgpu {

SessionIdle::SessionIdle(const Session& session, WaitsOfRun waits)
    : session_(session),
      whole_(session.whole ? *session.whole : session),
      waits_of_run_(std::move(waits)),
      hosts_(whole_.runs.size()) {}

SessionIdle::SessionIdle(const Session& session, WaitsOfRun waits, HostCauses::Waits waits_for_others)
    : SessionIdle(session, std::move(waits)) {
  std::call_once(waits_for_others_once_, [&] { waits_for_others_ = {std::move(waits_for_others)}; });
}

SessionIdle::SessionIdle(const Session& part, SessionIdle& whole)
    : session_(part), whole_(whole.whole_), of_whole_(&whole.cache_owner()) {}

template <typename Visit>
void SessionIdle::with_host(size_t run, const std::vector<OpIndex>& ops, Visit visit) {
  const bool is_part = session_.runs[run].part_of.has_value();
  const OpsInFullRun full_run = ops_in_full_run(session_, run, is_part ? ops : std::vector<OpIndex>());
  Host& host = cache_owner().hosts_[full_run.run];
  const std::lock_guard lock(host.mutex);
  cache_owner().causes_of(full_run.run);
  visit(full_run.run, is_part ? full_run.ops : ops, host);
}

IdleGap SessionIdle::in_part(size_t run, const IdleGap& gap) const {
  const std::vector<OpIndex>& ops = session_.runs[run].part_of->ops;
  const auto number = [&](OpIndex op) {
    return static_cast<OpIndex>(std::lower_bound(ops.begin(), ops.end(), op) - ops.begin());
  };
  IdleGap own = gap;
  own.last_op = number(gap.last_op);
  own.waking_op = number(gap.waking_op);
  return own;
}

void SessionIdle::for_each_gap(size_t run, const std::vector<OpIndex>& ops, const VisitGap& visit) {
  const VisitGap of_part = [&](const IdleGap& gap) { visit(in_part(run, gap)); };
  with_host(run, ops, [&](size_t full_run, const std::vector<OpIndex>& full_run_ops, Host& host) {
    for_each_idle_gap(whole_.runs[full_run].timeline, full_run_ops, *host.causes,
                      session_.runs[run].part_of ? of_part : visit);
  });
}

void SessionIdle::for_each_gap(size_t run, const std::vector<OpIndex>& ops, const VisitParts& visit) {
  const VisitParts of_part = [&](const IdleGap& gap, const std::vector<IdlePart>& parts) {
    visit(in_part(run, gap), parts);
  };
  with_host(run, ops, [&](size_t full_run, const std::vector<OpIndex>& full_run_ops, Host& host) {
    const Timeline& timeline = whole_.runs[full_run].timeline;
    if (!host.culprits) {
      host.culprits = std::make_unique<IdleCulprits>(
          timeline, host.causes->sampled(),
          [&cache_owner = cache_owner(), full_run]() -> const Waits& { return cache_owner.waits_of_run_(full_run); });
    }
    for_each_idle_gap(timeline, full_run_ops, *host.causes, *host.culprits,
                      session_.runs[run].part_of ? of_part : visit);
  });
}

void SessionIdle::for_each_host_piece(size_t run, TrackIndex thread, Interval time,
                                      const std::function<void(Interval, IdleCause, SliceIndex)>& visit) {
  const std::lock_guard lock(cache_owner().hosts_[run].mutex);
  cache_owner().causes_of(run).for_each_piece(thread, time, visit);
}

void SessionIdle::for_each_sample(size_t run, TrackIndex thread, Interval time,
                                  const std::function<void(Interval, IdleCause, SliceIndex)>& visit) {
  const std::lock_guard lock(cache_owner().hosts_[run].mutex);
  cache_owner().causes_of(run).sampled().for_each_piece(thread, time, visit);
}

HostCauses& SessionIdle::causes_of(size_t run) {
  std::call_once(waits_for_others_once_, [&] { waits_for_others_ = rank_waits(whole_); });
  Host& host = hosts_[run];
  const std::optional<CallTree>& tree = whole_.runs[run].call_tree;
  if (!host.causes) {
    host.causes =
        std::make_unique<HostCauses>(whole_.runs[run].timeline, waits_for_others_[run], tree ? &*tree : nullptr);
  }
  return *host.causes;
}

}  // namespace cgpu
