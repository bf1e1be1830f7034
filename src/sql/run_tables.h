// The tables of one opened run (of all its ranks) for SQL: each is made when it is first asked for, and kept.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "session/opened_profile.h"
#include "sql/row_search.h"

namespace cgpu {

/// For one thread at a time.
class RunTables {
 public:
  /// Of a profile, or of a summary of one. Throws Error.
  explicit RunTables(OpenedProfile profile);
  /// Of a session that is open and outlives this.
  explicit RunTables(const SessionFacts& facts);
  RunTables(const RunTables&) = delete;
  RunTables& operator=(const RunTables&) = delete;

  /// The tables that there are, in the order in which they are listed: all, or what a summary keeps.
  const std::vector<const Analysis*>& list() const { return list_; }
  /// One of them. The first time it costs what the table costs. Throws Error as the table does.
  RowSearch& table(const Analysis& analysis);
  /// Null for a summary, which has no timeline.
  const SessionFacts* facts() const { return facts_; }

 private:
  const std::optional<OpenedProfile> profile_;
  const SessionFacts* const facts_;
  std::vector<const Analysis*> list_;
  std::map<std::string, RowSearch> tables_;  // by name of the analysis
};

}  // namespace cgpu
