// Tables over many ranks that are not all open at once (table_engine.h decides when).
//
// Ranks are opened one after another, the largest first, as many at a time as memory and cores allow; every table takes
// what it keeps of a rank (analysis/partial.h), and the rank's timeline is released (release.h). When all have been
// seen, their clocks are aligned, and the tables are finalized: the same, to the last bit, as with all ranks open. Who
// is free opens the next one: a thread, or another process (exchange.h), each opening one rank at a time.
//
// Time: that of opening each rank once, and where a part is selected that is too large to stay open, each of its ranks
// twice: which ranks there are and how their clocks differ is known when all have been seen. A rank whose threads
// waited for other ranks inside blocking host collectives is opened a second time for the table `idle`, because only
// then is it known until when. Memory: the ranks that are open, and of each other one what the tables keep: 8 bytes a
// sample where a median is asked, else a few bytes a row.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analysis/session_facts.h"
#include "session/profile_source.h"
#include "session/ranks/rank_opener.h"
#include "session/ranks/run_collector.h"
#include "session/wanted_table.h"

namespace cgpu {

/// What is known when every rank has been seen, before tables are finalized.
struct ProcessedRanks {
  std::unique_ptr<Session> session;     // where ranks were opened one after another, without their timelines
  std::unique_ptr<SessionFacts> facts;  // of that
  std::vector<uint32_t> numbers;        // by index of the run: the number that a collector saw it under
  Partials partials;

  /// Makes a wanted table that is not folded; without rows where it needs timelines that have been released.
  Table table_of_whole(const WantedTable& wanted) const;
  bool has_released_timelines() const;
};

/// Opens the ranks of a source one after another; nothing where they have to be open together: where there is one,
/// where a table has one row an event or needs all timelines, where files have to be joined with others, and where a
/// part is selected and memory is enough for its ranks (selected_runs.h says what else, and how a part is taken of
/// ranks one after another). `collector`, if given, sees every run while it is open. Ranks are opened by other
/// processes too, where there are some (OpenOptions::exchange). Throws Error.
std::optional<ProcessedRanks> fold_ranks(const ProfileSource& source, const std::vector<WantedTable>& wanted,
                                         RunCollector* collector);

}  // namespace cgpu
