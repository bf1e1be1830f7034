// Rows of a database that are read again later, for the arguments of events.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "readers/common/sqlite/database.h"

namespace cgpu::sqlite {

/// Calls visit(scan) for each of `rows`, in ascending order, with the scan on that row. Rows that are close together
/// are read in one pass. Throws Error where one is missing.
template <typename Visit>
void for_each_row(Database& database, const std::string& table, const std::vector<std::string>& columns,
                  std::span<const int64_t> rows, Visit visit) {
  constexpr int64_t kFar = 64;  // rows that are read in vain are cheaper than another statement
  for (size_t first = 0; first < rows.size();) {
    size_t end = first + 1;
    while (end < rows.size() && rows[end] - rows[end - 1] <= kFar) ++end;
    Scan scan(database, table, columns,
              "WHERE rowid BETWEEN " + std::to_string(rows[first]) + " AND " + std::to_string(rows[end - 1]) +
                  " ORDER BY rowid");
    bool found = scan.next();
    for (; first < end; ++first) {
      while (found && scan.rowid() < rows[first]) found = scan.next();
      if (!found || scan.rowid() != rows[first]) {
        throw Error(database.name(), "has changed since it was opened: open it again");
      }
      visit(scan);
    }
  }
}

}  // namespace cgpu::sqlite
