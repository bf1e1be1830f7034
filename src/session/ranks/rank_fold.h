// Tables over many ranks that are not all open at once.
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

#include "analysis/analysis.h"
#include "session/ranks/rank_opener.h"
#include "session/ranks/run_collector.h"
#include "session/selection/selection.h"

namespace cgpu {

struct FoldedSession {
  Session session;                // where several ranks were folded, their timelines have been released
  std::vector<Table> tables;      // those that were wanted, in their order
  std::vector<uint32_t> numbers;  // by index of the run: the number that a collector saw it under
};

/// What is known when every rank has been seen, before tables are finalized.
struct ProcessedRanks {
  std::unique_ptr<Session> session;     // as in FoldedSession
  std::unique_ptr<SessionFacts> facts;  // of that
  std::vector<uint32_t> numbers;        // by index of the run
  Partials partials;

  /// Makes a wanted table that is not folded; without rows where it needs timelines that have been released.
  Table table_of_whole(const WantedTable& wanted) const;
  bool has_released_timelines() const;
};

/// Adds the tables that one is made of where timelines have been released (WithoutTimelines), as far as they are not
/// there.
void add_sources(const Analysis& analysis, std::vector<WantedTable>& wanted);
/// Makes it of them; nothing where they are not among the wanted ones.
std::optional<Table> made_of_sources(const Analysis& analysis, const SessionFacts& facts,
                                     const std::vector<WantedTable>& wanted, const std::vector<Table>& tables);

/// Opens the inputs and makes the tables. All selected runs stay open where there is one, where a table is wanted that
/// has one row an event or needs all timelines, where files of the inputs have to be joined with others, and where a
/// part is selected and memory is enough for its ranks (selected_runs.h says what else, and how a part is taken of
/// ranks one after another). Of summaries (summary_session.h), the tables that they keep; a collector sees nothing
/// then. `collector`, if given, sees every run while it is open. Ranks that are opened one after another are opened by
/// other processes too, where there are some (OpenOptions::exchange).
FoldedSession fold_ranks(const OpenOptions& open, const Selection& selection, const std::vector<WantedTable>& wanted,
                         RunCollector* collector = nullptr);

/// The same of profiles up to where tables are finalized: to keep what is known of each rank.
ProcessedRanks process_ranks(const OpenOptions& open, const Selection& selection,
                             const std::vector<WantedTable>& wanted, RunCollector* collector);

}  // namespace cgpu
