// The tables of one opened run (of all its ranks).
#pragma once

#include <optional>

#include "session/opened_profile.h"
#include "sql/table_set.h"

namespace cgpu {

/// For one thread at a time.
class RunTables final : public TableSet {
 public:
  /// Of a profile, or of a summary of one, which has those tables that need no timeline. Throws Error.
  explicit RunTables(OpenedProfile profile);
  /// Of a session that is open and outlives this.
  explicit RunTables(const SessionFacts& facts);

  const SessionFacts* facts() const override { return facts_; }

 private:
  std::unique_ptr<RowSource> make(const SqlTable& table) override;

  const std::optional<OpenedProfile> profile_;
  const SessionFacts* const facts_;
};

}  // namespace cgpu
