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

RunTables::RunTables(OpenedProfile profile) : profile_(std::move(profile)) {
  std::optional<Summary> summary;
  if (profile_.is_summary()) summary = read_summary(profile_.options().inputs.front());
  for (const Analysis& analysis : all_analyses()) {
    if (!summary || keeps(*summary, analysis)) list_.push_back(&analysis);
  }
}

RowSearch& RunTables::table(const Analysis& analysis) {
  const auto known = tables_.find(analysis.name);
  if (known != tables_.end()) return known->second;
  const bool is_of_events = facts() != nullptr && analysis.events != nullptr;
  std::unique_ptr<RowSource> rows =
      is_of_events ? rows_of_events(analysis, *facts()) : rows_of_table(profile_.table(analysis, {}, {}));
  return tables_.try_emplace(analysis.name, std::move(rows)).first->second;
}

}  // namespace cgpu
