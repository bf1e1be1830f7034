#include "sql/run_tables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "session/rank_fold.h"
#include "session/summary.h"

namespace cgpu {

RunTables::RunTables(const OpenOptions& open, const Selection& selection) : open_(open), selection_(selection) {
  const std::optional<Summary> summary = summary_of(open, selection);
  for (const Analysis& analysis : all_analyses()) {
    const auto is_kept = [&] {
      return summary->partials.count(analysis.name) != 0 ||
             std::any_of(summary->tables.begin(), summary->tables.end(),
                         [&](const Table& table) { return table.name == analysis.name; });
    };
    if (!summary || is_kept()) list_.push_back(&analysis);
  }
  if (summary) return;
  Session session = open_session(open);
  select(session, selection);
  session_ = std::make_unique<const Session>(std::move(session));
  facts_ = std::make_unique<const SessionFacts>(*session_);
}

RowSearch& RunTables::table(const Analysis& analysis) {
  const auto known = tables_.find(analysis.name);
  if (known != tables_.end()) return known->second;
  std::unique_ptr<RowSource> rows;
  if (!facts_) {
    rows = rows_of_table(fold_ranks(open_, selection_, {{&analysis}}).tables.front());
  } else if (analysis.events != nullptr) {
    rows = rows_of_events(analysis, *facts_);
  } else {
    rows = rows_of_table(make_table(analysis, *facts_));
  }
  return tables_.try_emplace(analysis.name, std::move(rows)).first->second;
}

}  // namespace cgpu
