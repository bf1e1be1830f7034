#include "analysis/ranks/rank_waits.h"

#include <algorithm>

#include "analysis/session_clock.h"
#include "links/collective_waits.h"

namespace cgpu {

std::vector<HostCauses::Waits> rank_waits(const Session& session) {
  return rank_waits(session, host_collectives(session));
}

std::vector<HostCauses::Waits> rank_waits(const Session& session, const std::vector<CollectiveSeries>& host) {
  std::vector<HostCauses::Waits> waits(session.runs.size());
  if (!has_common_clock(session)) return waits;
  for (const CollectiveSeries& series : host) {
    for_each_wait(session, series, arrivals(session, series),
                  [&](const CollectiveMember& member, const CollectivePart& part, int64_t until) {
                    const Run& run = session.runs[member.run];
                    if (common_time(run, part.start) >= until) return;
                    const Interval wait{part.start, std::min(part.end(), own_time(run, until))};
                    if (wait.begin < wait.end) waits[member.run].push_back({part.track, wait});
                  });
  }
  return waits;
}

}  // namespace cgpu
