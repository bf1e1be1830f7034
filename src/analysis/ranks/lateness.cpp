#include "analysis/ranks/lateness.h"

#include <vector>

#include "analysis/session_clock.h"
#include "links/common_time.h"

namespace cgpu {

namespace {

/// One instance of a collective, over all members that took part.
struct LateInstance {
  int64_t latest_start = INT64_MIN;
  int64_t wait_ns = 0;  // of all members, until latest_start
  size_t parts = 0;
  const CollectiveMember* last = nullptr;  // the member with latest_start; the first of several
};

}  // namespace

std::map<std::pair<uint32_t, int32_t>, Lateness> lateness_of_members(const Session& session,
                                                                     std::span<const CollectiveSeries> collectives) {
  std::map<std::pair<uint32_t, int32_t>, Lateness> members;
  if (!has_common_clock(session)) return members;
  for (const CollectiveSeries& series : collectives) {
    const auto start_of = [&](const CollectiveMember& member, const CollectivePart& part) {
      return common_time(session.runs[member.run], part.start);
    };
    std::vector<LateInstance> instances(series.instances);
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart part : series.parts_of(member)) {
        LateInstance& instance = instances[part.instance];
        ++instance.parts;
        if (instance.last != nullptr && start_of(member, part) <= instance.latest_start) continue;
        instance.latest_start = start_of(member, part);
        instance.last = &member;
      }
    }
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart part : series.parts_of(member)) {
        LateInstance& instance = instances[part.instance];
        if (instance.parts < 2) continue;
        Lateness& lateness = members[{member.run, member.device}];
        const int64_t wait = instance.latest_start - start_of(member, part);
        instance.wait_ns += wait;
        lateness.wait_ns += wait;
        ++lateness.count;
      }
    }
    for (const LateInstance& instance : instances) {
      if (instance.parts < 2) continue;
      Lateness& lateness = members[{instance.last->run, instance.last->device}];
      ++lateness.last;
      lateness.caused_ns += instance.wait_ns;
    }
  }
  return members;
}

}  // namespace cgpu
