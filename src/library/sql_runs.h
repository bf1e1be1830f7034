// Opened profiles in SQL, for other programs (docs/cpp.md): the tables and functions of `cgpu sql` (docs/sql.md).
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "session/opened_profile.h"
#include "sql/sql_parameters.h"
#include "table/table.h"

namespace cgpu {

/// What ends a statement before its last row.
struct SqlLimits {
  size_t rows = 0;           // the first so many; 0 for all
  std::string timeout = {};  // a time, as "10s"; "" for none
  /// Set by another thread, it ends the statement soon.
  std::shared_ptr<const std::atomic<bool>> stopped = nullptr;
};

/// A copy is the same database. Any number of threads may ask; one statement runs after the other.
class SqlRuns {
 public:
  /// By name, each a schema; the tables of "main" need none before their names. Of two or more schema "runs" has the
  /// tables of all of them, and of two profiles schema "compare" what changed from the first to the second. At least
  /// one. Costs nothing a table before a statement names it; what was computed is kept until the last copy goes.
  explicit SqlRuns(std::vector<std::pair<std::string, OpenedProfile>> profiles);
  /// One, as "main".
  explicit SqlRuns(const OpenedProfile& profile);

  /// The rows of one statement, which cannot write. Throws Error, with the place in the text, for what is no SQL, for
  /// tables and columns that there are not, for more than one statement, for a parameter without a value or a value
  /// without a parameter, and where a limit ends it.
  Table query(const std::string& statement, const SqlLimits& limits = {}, const SqlParameters& parameters = {}) const;

 private:
  struct Database;
  std::shared_ptr<Database> database_;
};

}  // namespace cgpu
