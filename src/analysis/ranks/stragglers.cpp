// Table `stragglers`: who kept the others waiting in collectives. O(n log n) in the communication ops.
#include "analysis/common/columns.h"
#include "analysis/ranks/lateness.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

Table stragglers_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  const Session& session = facts.session();
  Table table = analysis.empty_table();
  const auto members = lateness_of_members(session, facts.collectives());
  int64_t whole = 0;
  for (const auto& [key, lateness] : members) whole += lateness.caused_ns;
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
          .applies = [](const ProfileCounts& counts) { return counts.runs > 1 && counts.communication; },
          .made_of = MadeOf::records,
          .whole = stragglers_table};
}

}  // namespace cgpu
