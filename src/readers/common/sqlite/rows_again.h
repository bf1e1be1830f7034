// Rows of a database that are read again later, for the arguments of events.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "readers/common/sqlite/database.h"

namespace cgpu::sqlite {

/// Calls visit(scan) for each of `rows`, in ascending order, with the scan on that row. Rows that stand close together
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

/// The texts of a table of ids and values, each read when it is first asked for; a number where there is none.
class TextsById {
 public:
  TextsById(Database& database, std::string table, std::string id = "id")
      : database_(database), table_(std::move(table)), id_(std::move(id)) {}

  const std::string& at(int64_t id) {
    const auto [at, is_new] = texts_.try_emplace(id);
    if (is_new) {
      at->second = database_.text_with_id(table_, id_, id);
    }
    return at->second;
  }

 private:
  Database& database_;
  std::string table_;
  std::string id_;
  std::unordered_map<int64_t, std::string> texts_;
};

}  // namespace cgpu::sqlite
