#include "analysis/ranks/lateness.h"

#include "analysis/session_clock.h"
#include "links/collective_waits.h"

namespace cgpu {

std::map<std::pair<uint32_t, int32_t>, Lateness> lateness_of_members(
    const Session& session, std::span<const CollectiveSeries> collectives,
    const std::function<bool(const CollectiveSeries&)>& counts) {
  std::map<std::pair<uint32_t, int32_t>, Lateness> members;
  if (!has_common_clock(session)) return members;
  for (const CollectiveSeries& series : collectives) {
    if (counts && !counts(series)) continue;
    const OutOfCoreVector<Arrival> instances = arrivals(session, series);
    OutOfCoreVector<int64_t> waits(instances.size());
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart part : series.parts_of(member)) {
        if (instances[part.instance].parts > 1) ++members[{member.run, member.device}].count;
      }
    }
    for_each_wait(session, series, instances,
                  [&](const CollectiveMember& member, const CollectivePart& part, int64_t until) {
                    if (instances[part.instance].parts < 2) return;
                    const int64_t wait = until - common_time(session.runs[member.run], part.start);
                    waits[part.instance] += wait;
                    members[{member.run, member.device}].wait_ns += wait;
                  });
    for (size_t i = 0; i < instances.size(); ++i) {
      if (instances[i].parts < 2) continue;
      Lateness& lateness = members[{instances[i].last->run, instances[i].last->device}];
      ++lateness.last;
      lateness.caused_ns += waits[i];
    }
  }
  return members;
}

}  // namespace cgpu
