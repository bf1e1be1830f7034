#include "sql/run_tables.h"

#include <utility>

#include "analysis/analysis.h"
#include "session/summaries/summary_session.h"

namespace cgpu {

namespace {

/// `summary`: null for a profile, which has them all.
std::vector<SqlTable> tables_of(const SummarySession* summary) {
  std::vector<SqlTable> tables;
  for (const Analysis& analysis : all_analyses()) {
    tables.push_back({.name = analysis.name,
                      .about = analysis.about,
                      .columns = analysis.columns,
                      .aliases = analysis.aliases,
                      .has_rows = summary == nullptr || summary->has_table(analysis)});
  }
  return tables;
}

}  // namespace

RunTables::RunTables(OpenedProfile profile)
    : TableSet(tables_of(profile.is_summary() ? &profile.summary_session() : nullptr)),
      profile_(std::move(profile)),
      facts_(profile_->is_summary() ? nullptr : &profile_->facts("SQL")) {}

RunTables::RunTables(const SessionFacts& facts) : TableSet(tables_of(nullptr)), facts_(&facts) {}

std::unique_ptr<RowSource> RunTables::make(const SqlTable& table) {
  const Analysis& analysis = find_analysis(table.name);
  if (facts_ == nullptr) return rows_of_table(profile_->table(analysis, {}, {}));
  if (analysis.events != nullptr) return rows_of_events(analysis, *facts_);
  return rows_of_table(make_table(analysis, *facts_));
}

}  // namespace cgpu
