#include "sql/run_tables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "session/summary.h"

namespace cgpu {

namespace {

bool keeps(const Summary& summary, const Analysis& analysis) {
  return summary.partials.count(analysis.name) != 0 ||
         std::any_of(summary.tables.begin(), summary.tables.end(),
                     [&](const Table& table) { return table.name == analysis.name; });
}

}  // namespace

RunTables::RunTables(OpenedProfile profile)
    : profile_(std::move(profile)), facts_(profile_->is_summary() ? nullptr : &profile_->facts("SQL")) {
  std::optional<Summary> summary;
  if (profile_->is_summary()) summary = read_summary(profile_->options().inputs.front());
  for (const Analysis& analysis : all_analyses()) {
    if (!summary || keeps(*summary, analysis)) list_.push_back(&analysis);
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
