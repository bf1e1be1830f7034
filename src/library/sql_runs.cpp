#include "library/sql_runs.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "session/complete_run.h"
#include "session/selection/selection.h"
#include "sql/query.h"
#include "sql/run_tables.h"

namespace cgpu {

/// Made when it is first asked.
struct SqlRuns::Database {
  const std::vector<std::pair<std::string, OpenedProfile>> profiles;
  std::mutex mutex = {};
  std::optional<SqlDatabase> sql = {};

  SqlDatabase& opened() {
    if (sql) return *sql;
    std::vector<OpenedRun> runs;
    for (const auto& [name, profile] : profiles) runs.push_back({name, std::make_unique<RunTables>(profile)});
    return sql.emplace(std::move(runs), dictionary_of(profiles.front().second.options().open()));
  }
};

SqlRuns::SqlRuns(std::vector<std::pair<std::string, OpenedProfile>> profiles)
    : database_(new Database{std::move(profiles)}) {
  if (database_->profiles.empty()) throw Error("SQL: no run was given");
}

SqlRuns::SqlRuns(const OpenedProfile& profile)
    : SqlRuns(std::vector<std::pair<std::string, OpenedProfile>>{{kMainSchema, profile}}) {}

Table SqlRuns::query(const std::string& statement, const SqlLimits& limits, const SqlParameters& parameters) const {
  std::optional<std::chrono::nanoseconds> most;
  if (!limits.timeout.empty()) most = std::chrono::nanoseconds(parse_time(limits.timeout, "--timeout"));
  const std::lock_guard lock(database_->mutex);
  SqlDatabase& sql = database_->opened();
  sql.begin_query(most, limits.stopped);
  const auto read = [&](Query& query) {
    const size_t rows = limits.rows == 0 ? SIZE_MAX : limits.rows;
    if (!is_sql_limited() || limits.rows == 0) return std::move(*query.next(rows));
    Table table = std::move(*query.next(rows, kMostSqlText));
    const std::optional<Table> more = table.row_count() < rows ? query.next(1) : std::nullopt;
    if (more && !more->empty()) {
      throw Error(fmt::format("SQL: the texts of its rows are longer than {} MB: take fewer rows, or substr() of them",
                              kMostSqlText >> 20));
    }
    return table;
  };
  return read_only_statement(sql, statement, read, parameters);
}

}  // namespace cgpu
