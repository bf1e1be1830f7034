#include "serve/profile_sql.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "base/error.h"
#include "session/complete_run.h"
#include "sql/query.h"
#include "sql/run_tables.h"

namespace cgpu {

namespace {

constexpr auto kPatience = std::chrono::seconds(2);  // with a statement that runs before

}  // namespace

SqlDatabase& ProfileSql::database() {
  if (database_) return *database_;
  std::vector<OpenedRun> runs;
  runs.push_back({kMainSchema, std::make_unique<RunTables>(facts_)});
  OpenOptions options;
  options.kernel_rules = kernel_rules_;
  limit_sql();
  return database_.emplace(std::move(runs), dictionary_of(options));
}

ProfileSql::Stopped ProfileSql::begin(const std::string& id) {
  const std::lock_guard lock(mutex_);
  id_ = id;
  stopped_ = std::make_shared<std::atomic<bool>>(has_ended_ || (!id.empty() && id == stopped_id_));
  return stopped_;
}

void ProfileSql::stop(const std::string& id) {
  const std::lock_guard lock(mutex_);
  stopped_id_ = id;
  if (stopped_ && id_ == id) *stopped_ = true;
}

void ProfileSql::stop_all() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  if (stopped_) *stopped_ = true;
}

ProfileSql::Result ProfileSql::run(const std::string& statement, const std::string& id, size_t most_rows,
                                   std::chrono::nanoseconds most_time) {
  const std::unique_lock running(running_, kPatience);
  if (!running) throw Error("SQL: another statement is running: stop it, or wait for its end");
  std::unique_lock reading(arguments_, std::defer_lock);
  const bool reads_arguments = sqlite3_strlike("%arguments%", statement.c_str(), 0) == 0;
  if (reads_arguments && !reading.try_lock_for(kPatience)) {
    throw Error("SQL: the arguments are being read for an export or a search; ask again when that has ended");
  }
  SqlDatabase& sql = database();
  sql.begin_query(most_time, begin(id));
  return read_only_statement(sql, statement, [&](Query& query) {
    Result result{*query.next(most_rows, kMostSqlText)};
    const std::optional<Table> more = query.next(1);
    result.is_cut = more && !more->empty();
    return result;
  });
}

}  // namespace cgpu
