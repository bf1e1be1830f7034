// How long the ops of collectives wait for each other: until the last member has begun.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/out_of_core.h"
#include "links/collective_series.h"
#include "links/common_time.h"

namespace cgpu {

/// When the members of an instance of a collective began it.
struct Arrival {
  int64_t last_start = INT64_MIN;          // ns on the common clock of the runs (common_time.h)
  const CollectiveMember* last = nullptr;  // the member that began last; the first of several
  uint32_t parts = 0;
};
/// By instance, of some of the members of a series (which must outlive the result). O(parts).
OutOfCoreVector<Arrival> arrivals(const Session& session, const CollectiveSeries& series,
                                  std::span<const CollectiveMember> members);
inline OutOfCoreVector<Arrival> arrivals(const Session& session, const CollectiveSeries& series) {
  return arrivals(session, series, series.members);
}

/// When an op of a collective no longer waits for others: when the last member of its instance has begun, or, where a
/// member may leave before that (ends_together), when it ends itself. Of an op of several instances (a batch of sends
/// and receives) the latest counts. Calls visit(member, part, until) for each op once, with the part that counts;
/// `until` on the common clock. Of the members that `instances` are of. O(parts).
template <typename Visit>
void for_each_wait(const Session& session, const CollectiveSeries& series, std::span<const CollectiveMember> members,
                   const OutOfCoreVector<Arrival>& instances, Visit visit) {
  const bool together = ends_together(series.name);
  for (const CollectiveMember& member : members) {
    const Run& run = session.runs[member.run];
    const auto until_of = [&](const CollectivePart& part) {
      const int64_t last = instances[part.instance].last_start;
      return together ? last : std::min(last, std::max(common_time(run, part.start), common_time(run, part.end())));
    };
    for (uint32_t i = member.first; i < member.end;) {
      CollectivePart counts = series.parts.row(i);
      int64_t until = until_of(counts);
      for (++i; i < member.end && series.is_of_op_before(i, member); ++i) {
        const CollectivePart part = series.parts.row(i);
        if (instances[part.instance].last_start <= instances[counts.instance].last_start) continue;
        counts = part;
        until = until_of(part);
      }
      visit(member, counts, until);
    }
  }
}
template <typename Visit>
void for_each_wait(const Session& session, const CollectiveSeries& series, const OutOfCoreVector<Arrival>& instances,
                   Visit visit) {
  for_each_wait(session, series, series.members, instances, visit);
}

}  // namespace cgpu
