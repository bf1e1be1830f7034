// The tables of opened runs as one SQLite database, read only: a schema a run, `main` for the one without a name, and
// schemas of several runs together (stacked_tables.h, compared_tables.h, checked_tables.h).
//
// Nothing can be written, attached or loaded. Queries can be interrupted, and ended after a time.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/functions.h"
#include "sql/table_module.h"

namespace cgpu {

inline constexpr const char* kMainSchema = "main";

struct CloseSqlite {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseSqlite>;
/// Opens a database for one thread at a time. Throws Error.
SqliteHandle open_sqlite(const std::string& path);
/// Does statements that give no rows. Throws Error.
void do_statement(sqlite3* database, const std::string& statement);

/// A run with its name, kMainSchema for the one without.
struct OpenedRun {
  std::string name;
  std::unique_ptr<TableSet> tables;
};
/// How many runs with names have a schema of their own: the first ones. SQLite attaches ten schemas, and `runs` is one.
inline constexpr size_t kMostNamedSchemas = 9;

/// Adds the schemas with their tables and table functions, and the functions; schemas but `main` are attached. Costs
/// nothing a table before a statement names it. What is given must outlive the database. Throws Error.
void list_schemas(sqlite3* database, TablesBySchema& schemas, const KernelDictionary& dictionary);

/// What statements of others may take: of SQLite's memory for sorting, grouping and texts, in all databases of the
/// process together; of one value; of all texts in an answer.
inline constexpr size_t kMostSqlMemory = size_t{1} << 30;
inline constexpr size_t kLongestSqlText = size_t{1} << 20;
inline constexpr size_t kMostSqlText = size_t{1} << 24;
/// Holds all databases of the process that are made from now on to that: for programs that answer others.
void limit_sql();
bool is_sql_limited();

/// For one thread at a time, `interrupt` apart.
class SqlDatabase {
 public:
  /// Each run in a schema of its name; of two or more also schema `runs` (stacked_tables.h), of two profiles also
  /// schemas `compare` and `gate`, with the first as A and baseline (compared_tables.h, checked_tables.h). Throws
  /// Error.
  SqlDatabase(std::vector<OpenedRun> runs, KernelDictionary dictionary);
  SqlDatabase(const SqlDatabase&) = delete;
  SqlDatabase& operator=(const SqlDatabase&) = delete;

  sqlite3* handle() const { return handle_.get(); }
  const TablesBySchema& schemas() const { return schemas_; }
  /// Whether a run has this name, with or without a schema of its own.
  bool has_run(std::string_view name) const;

  /// Ends the query that runs, soon. May be called by a signal handler. Not while a table is made for the first time,
  /// but as soon as it is.
  void interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
  /// Before a query: forgets earlier interruptions; the query may take this long, and until `stopped` is set.
  void begin_query(std::optional<std::chrono::nanoseconds> most,
                   std::shared_ptr<const std::atomic<bool>> stopped = nullptr);
  /// After a statement that failed: what it took goes back to the system.
  void give_back_memory();
  /// Why a query was ended before its time; "" where it was not.
  std::string why_ended() const;

 private:
  static int must_end(void* database);
  bool is_interrupted() const;

  void choose_schemas();

  const std::vector<OpenedRun> runs_;
  std::unique_ptr<TableSet> stacked_;   // null for one run
  std::unique_ptr<TableSet> compared_;  // null where there are not two profiles
  std::unique_ptr<TableSet> checked_;   // likewise
  TablesBySchema schemas_;
  KernelDictionary dictionary_;
  SqliteHandle handle_;
  std::atomic<bool> interrupted_ = false;
  std::shared_ptr<const std::atomic<bool>> stopped_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::chrono::nanoseconds most_{0};  // that the query may take
  bool late_ = false;
};

}  // namespace cgpu
