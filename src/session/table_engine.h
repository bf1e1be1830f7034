// Makes tables of a source. It alone decides what is open for them, by what each table declares that it needs of the
// runs (analysis.h: MadeOf):
//
// - Of summaries, the tables that they keep are finalized (summaries/summary_session.h).
// - Profiles of ranks are opened one after another, where that gives all tables (ranks/rank_fold.h).
// - Else all selected runs are open together.
//
// The tables are the same, to the last bit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/run.h"
#include "session/profile_source.h"
#include "session/ranks/rank_fold.h"
#include "session/ranks/run_collector.h"
#include "session/wanted_table.h"

namespace cgpu {

struct MadeTables {
  /// Of ranks that were opened one after another, and of summaries, without timelines.
  std::shared_ptr<const Session> session;
  std::vector<Table> tables;      // those that were wanted, in their order
  std::vector<uint32_t> numbers;  // by index of the run: the number that a collector saw it under
};

/// `collector`, if given, sees every run of profiles while it is open, none of summaries. Throws Error, also for
/// options that a table does not have.
MadeTables make_tables(const ProfileSource& source, const std::vector<WantedTable>& wanted,
                       RunCollector* collector = nullptr);

/// The same of profiles up to where tables are finalized: to keep what is known of each rank.
ProcessedRanks process_ranks(const ProfileSource& source, const std::vector<WantedTable>& wanted,
                             RunCollector* collector);

}  // namespace cgpu
