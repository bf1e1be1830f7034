#include "analysis/ranks/lateness.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "analysis/session_clock.h"
#include "links/collective_waits.h"

namespace cgpu {

std::map<MemberKey, Lateness> lateness_of_members(const Session& session, std::span<const CollectiveSeries> collectives,
                                                  const std::function<bool(const CollectiveSeries&)>& counts,
                                                  const std::set<MemberKey>& without) {
  std::map<MemberKey, Lateness> members;
  if (!has_common_clock(session)) return members;
  for (const CollectiveSeries& series : collectives) {
    if (counts && !counts(series)) continue;
    std::vector<CollectiveMember> taking_part;
    std::ranges::copy_if(series.members, std::back_inserter(taking_part), [&](const CollectiveMember& member) {
      return !without.contains({member.run, member.device});
    });
    const OutOfCoreVector<Arrival> instances = arrivals(session, series, taking_part);
    OutOfCoreVector<int64_t> waits(instances.size());
    for (const CollectiveMember& member : taking_part) {
      for (const CollectivePart part : series.parts_of(member)) {
        if (instances[part.instance].parts > 1) ++members[{member.run, member.device}].count;
      }
    }
    for_each_wait(session, series, taking_part, instances,
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
