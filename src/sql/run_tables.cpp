#include "sql/run_tables.h"

#include <utility>

namespace cgpu {

RunTables::RunTables(std::shared_ptr<const OpenedProfile> profile) : profile_(std::move(profile)) {
  for (const Analysis& analysis : all_analyses()) {
    if (!profile_->is_summary() || profile_->kept().keeps(analysis)) list_.push_back(&analysis);
  }
}

RowSearch& RunTables::table(const Analysis& analysis) {
  const auto known = tables_.find(analysis.name);
  if (known != tables_.end()) return known->second;
  const bool is_of_events = facts() != nullptr && analysis.events != nullptr;
  std::unique_ptr<RowSource> rows =
      is_of_events ? rows_of_events(analysis, *facts()) : rows_of_table(profile_->table(analysis, {}, {}));
  return tables_.try_emplace(analysis.name, std::move(rows)).first->second;
}

}  // namespace cgpu
