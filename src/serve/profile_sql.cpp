#include "serve/profile_sql.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "base/error.h"
#include "session/open.h"
#include "sql/query.h"

namespace cgpu {

namespace {

constexpr auto kPatience = std::chrono::seconds(2);  // with a statement that runs before

/// Runs `work`; where it fails for want of memory, that is said.
template <typename Work>
auto within_memory(SqlDatabase& sql, Work work) {
  try {
    return work();
  } catch (const Error&) {
    if (sqlite3_errcode(sql.handle()) != SQLITE_NOMEM) throw;
    throw Error(
        fmt::format("SQL: it needs more than {} GiB of memory: sort or group less", ProfileSql::kMostMemory >> 30));
  }
}

}  // namespace

SqlDatabase& ProfileSql::database() {
  if (database_) return *database_;
  RunsBySchema runs;
  runs.emplace(kMainSchema, std::make_unique<RunTables>(facts_));
  OpenOptions options;
  options.kernel_rules = kernel_rules_;
  SqlDatabase& made = database_.emplace(std::move(runs), dictionary_of(options));
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(kMostMemory));
  sqlite3_limit(made.handle(), SQLITE_LIMIT_LENGTH, static_cast<int>(kLongestText));
  return made;
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
  return within_memory(sql, [&] {
    Query query(sql, statement);
    if (query.empty()) throw Error("SQL: there is no statement");
    if (!Query(sql, query.rest()).empty()) throw Error("SQL: one statement at a time was expected");
    Result result{*query.next(most_rows, kMostText)};
    const std::optional<Table> more = query.next(1);
    result.is_cut = more && !more->empty();
    return result;
  });
}

}  // namespace cgpu
