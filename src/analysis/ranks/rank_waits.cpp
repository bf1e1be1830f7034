#include "analysis/ranks/rank_waits.h"

#include <algorithm>

#include "analysis/session_clock.h"
#include "links/collective_series.h"
#include "links/common_time.h"

namespace cgpu {

std::vector<std::vector<HostCauses::Wait>> rank_waits(const Session& session) {
  std::vector<std::vector<HostCauses::Wait>> waits(session.runs.size());
  if (!has_common_clock(session)) return waits;
  for (const CollectiveSeries& series : host_collectives(session)) {
    const std::vector<int64_t> latest = last_starts(session, series);
    for (const CollectiveMember& member : series.members) {
      const Run& run = session.runs[member.run];
      const Slices& slices = run.timeline.slices;
      for (const CollectivePart& part : member.parts) {
        const int64_t begin = slices.start[part.slice];
        if (common_time(run, begin) >= latest[part.instance]) continue;
        const Interval wait{begin, std::min(slices.end(part.slice), own_time(run, latest[part.instance]))};
        if (wait.begin < wait.end) waits[member.run].push_back({slices.track[part.slice], wait});
      }
    }
  }
  return waits;
}

}  // namespace cgpu
