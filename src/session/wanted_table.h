// A table that is asked for, and tables that are made of others.
#pragma once

#include <optional>
#include <vector>

#include "analysis/analysis.h"

namespace cgpu {

struct WantedTable {
  const Analysis* analysis;
  TableOptions options = {};
  /// Set where the caller can do without the table: it is without rows where a summary does not have it, and where it
  /// would be the reason to keep ranks open, no part is selected, and their files hold more bytes than this,
  /// uncompressed.
  std::optional<double> most_open_bytes = {};
};

/// Adds the tables that one is made of where timelines have been released (WithoutTimelines), as far as they are not
/// there.
void add_sources(const Analysis& analysis, std::vector<WantedTable>& wanted);
/// Makes it of them; nothing where they are not among the wanted ones.
std::optional<Table> made_of_sources(const Analysis& analysis, const SessionFacts& facts,
                                     const std::vector<WantedTable>& wanted, const std::vector<Table>& tables);

}  // namespace cgpu
