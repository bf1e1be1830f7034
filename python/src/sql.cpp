#include "sql.h"

#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "session/open.h"
#include "session/selection.h"
#include "sql/query.h"

namespace cgpu::python {

/// Made when it is first asked.
struct PythonSql::Database {
  const std::map<std::string, OpenedProfile> profiles;
  std::mutex mutex = {};
  std::optional<SqlDatabase> sql = {};

  SqlDatabase& opened() {
    if (sql) return *sql;
    std::vector<OpenedRun> runs;
    for (const auto& [name, profile] : profiles) runs.push_back({name, std::make_unique<RunTables>(profile)});
    return sql.emplace(std::move(runs), dictionary_of(profiles.begin()->second.options().open()));
  }
};

PythonSql::PythonSql(std::map<std::string, OpenedProfile> profiles) : database_(new Database{std::move(profiles)}) {}

PythonTable PythonSql::query(const std::string& statement, size_t top, const std::string& timeout) const {
  made_.check();
  return work([database = database_, statement, top, timeout](const Stopped& stopped) {
    std::optional<std::chrono::nanoseconds> most;
    if (!timeout.empty()) most = std::chrono::nanoseconds(parse_time(timeout, "--timeout"));
    const std::lock_guard lock(database->mutex);
    SqlDatabase& sql = database->opened();
    sql.begin_query(most, stopped);
    return read_only_statement(sql, statement, [&](Query& query) {
      const size_t rows = top == 0 ? SIZE_MAX : top;
      if (!is_sql_limited() || top == 0) return PythonTable(*query.next(rows));
      Table table = *query.next(rows, kMostSqlText);
      const std::optional<Table> more = table.row_count() < rows ? query.next(1) : std::nullopt;
      if (more && !more->empty()) {
        throw Error(
            fmt::format("SQL: the texts of its rows are longer than {} MB: take fewer rows, or substr() of them",
                        kMostSqlText >> 20));
      }
      return PythonTable(std::move(table));
    });
  });
}

}  // namespace cgpu::python
