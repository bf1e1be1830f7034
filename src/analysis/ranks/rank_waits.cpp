#include "analysis/ranks/rank_waits.h"

#include <algorithm>

#include "analysis/session_clock.h"
#include "links/collective_series.h"
#include "links/common_time.h"

namespace cgpu {

std::vector<std::vector<HostCauses::Wait>> rank_waits(const Session& session) {
  return rank_waits(session, host_collectives(session));
}

std::vector<std::vector<HostCauses::Wait>> rank_waits(const Session& session,
                                                      const std::vector<CollectiveSeries>& host) {
  std::vector<std::vector<HostCauses::Wait>> waits(session.runs.size());
  if (!has_common_clock(session)) return waits;
  for (const CollectiveSeries& series : host) {
    const std::vector<int64_t> latest = last_starts(session, series);
    for (const CollectiveMember& member : series.members) {
      const Run& run = session.runs[member.run];
      for (const CollectivePart part : series.parts_of(member)) {
        if (common_time(run, part.start) >= latest[part.instance]) continue;
        const Interval wait{part.start, std::min(part.end(), own_time(run, latest[part.instance]))};
        if (wait.begin < wait.end) waits[member.run].push_back({part.track, wait});
      }
    }
  }
  return waits;
}

}  // namespace cgpu
