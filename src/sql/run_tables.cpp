#include "sql/run_tables.h"

#include <utility>

#include "session/summary_session.h"

namespace cgpu {

RunTables::RunTables(OpenedProfile profile)
    : profile_(std::move(profile)), facts_(profile_->is_summary() ? nullptr : &profile_->facts("SQL")) {
  for (const Analysis& analysis : all_analyses()) {
    if (!profile_->is_summary() || profile_->summary_session().has_table(analysis)) list_.push_back(&analysis);
  }
}

RunTables::RunTables(const SessionFacts& facts) : facts_(&facts) {
  for (const Analysis& analysis : all_analyses()) list_.push_back(&analysis);
}

RowSearch& RunTables::table(const Analysis& analysis) {
  const auto known = tables_.find(analysis.name);
  if (known != tables_.end()) return known->second;
  const auto made = [&] {
    if (facts_ == nullptr) return rows_of_table(profile_->table(analysis, {}, {}));
    if (analysis.events != nullptr) return rows_of_events(analysis, *facts_);
    return rows_of_table(make_table(analysis, *facts_));
  };
  return tables_.try_emplace(analysis.name, made()).first->second;
}

}  // namespace cgpu
