// Table `stragglers`: who kept the others waiting in collectives. O(n log n) in the communication ops.
#include <map>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/session_clock.h"
#include "analysis/tables.h"
#include "links/collective_series.h"
#include "links/common_time.h"

namespace cgpu {

namespace {

/// Sums over the collectives that a device of a rank shared with others.
struct Lateness {
  int64_t count = 0;
  int64_t last = 0;  // of these, those that it was the last to begin
  int64_t wait_ns = 0;
  int64_t caused_ns = 0;
};

/// One instance of a collective, over all members that took part.
struct LateInstance {
  int64_t latest_start = INT64_MIN;
  int64_t wait_ns = 0;  // of all members, until latest_start
  size_t parts = 0;
  const CollectiveMember* last = nullptr;  // the member with latest_start; the first of several
};

Table stragglers_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  const Session& session = facts.session();
  Table table = analysis.empty_table();
  if (!has_common_clock(session)) return table;

  std::map<std::pair<uint32_t, int32_t>, Lateness> members;
  int64_t whole = 0;
  for (const CollectiveSeries& series : facts.collectives()) {
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
      whole += instance.wait_ns;
    }
  }
  for (const auto& [key, lateness] : members) {
    table.append({session.runs[key.first].rank, int64_t{key.second}, lateness.count, lateness.last, lateness.caused_ns,
                  percent_of(lateness.caused_ns, whole), lateness.wait_ns});
  }
  sort_most_first(table, "caused_ns");
  return table;
}

}  // namespace

Analysis stragglers_analysis() {
  return {.name = "stragglers",
          .about = "which rank begins collectives last, and what the others wait for it",
          .subject = Subject::ranks,
          .columns = {rank_column(), device_column(), count_column("count", "collectives in which it met others"),
                      count_column("last", "of these, those that it was the last to begin"),
                      time_column("caused_ns", "time that the others spent in these until it began"),
                      real_column("pct", "%", "share of all waiting in collectives that it caused"),
                      time_column("wait_ns", "time that it spent in collectives until the last one began")},
          .applies = [](const ProfileCounts& counts) { return counts.runs > 1 && counts.communication > 0; },
          .of_kept_runs = true,
          .whole = stragglers_table};
}

}  // namespace cgpu
