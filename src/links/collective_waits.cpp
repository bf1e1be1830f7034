#include "links/collective_waits.h"

namespace cgpu {

OutOfCoreVector<Arrival> arrivals(const Session& session, const CollectiveSeries& series,
                                  std::span<const CollectiveMember> members) {
  OutOfCoreVector<Arrival> instances(series.instances);
  for (const CollectiveMember& member : members) {
    const Run& run = session.runs[member.run];
    for (const CollectivePart part : series.parts_of(member)) {
      Arrival& instance = instances[part.instance];
      const int64_t start = common_time(run, part.start);
      ++instance.parts;
      if (instance.last != nullptr && start <= instance.last_start) continue;
      instance.last_start = start;
      instance.last = &member;
    }
  }
  return instances;
}

}  // namespace cgpu
