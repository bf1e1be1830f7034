#include "sql/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/allocator.h"
#include "base/error.h"
#include "sql/arguments_module.h"
#include "sql/checked_tables.h"
#include "sql/compared_tables.h"
#include "sql/interval_intersect_module.h"
#include "sql/schema.h"
#include "sql/slice_tree_module.h"
#include "sql/stacked_tables.h"

namespace cgpu {

namespace {

/// Lists the tables of a schema without making them: SQLite asks for the columns of a virtual table when a statement
/// names it, which is what happens where a database with virtual tables is opened.
void list_tables(sqlite3* database, const std::string& schema, const TableSet& tables) {
  const auto list = [&](const std::string& name, const char* module) {
    const std::string create = fmt::format("CREATE VIRTUAL TABLE {} USING {}", sql_identifier(name), module);
    do_statement(database, fmt::format("INSERT INTO {}.sqlite_schema VALUES ('table', '{}', '{}', 0, '{}')",
                                       sql_identifier(schema), name, name, create));
  };
  for (const SqlTable& table : tables.list()) {
    list(table.name, kTableModule);
    for (const std::string& alias : table.aliases) list(alias, kTableModule);
  }
  if (!tables.is_of_run()) return;
  for (const char* function : {kArgumentsModule, kAncestorsModule, kDescendantsModule}) list(function, function);
}

/// Reading is all that is allowed.
int allow(void*, int action, const char* what, const char* value, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_UPDATE:  // SQLite asks for this while a virtual table is declared; statements cannot change the schema
      return std::strcmp(what, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA: {
      constexpr std::string_view kAbout[] = {"table_info",    "table_xinfo",     "table_list",    "database_list",
                                             "function_list", "compile_options", "collation_list"};
      const bool asks = std::find(std::begin(kAbout), std::end(kAbout), what) != std::end(kAbout);
      return asks || (value == nullptr && std::strcmp(what, "user_version") == 0) ? SQLITE_OK : SQLITE_DENY;
    }
    default:
      return SQLITE_DENY;
  }
}

double seconds_of(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

SqliteHandle open_sqlite(const std::string& path) {
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int result = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  SqliteHandle handle(opened);
  if (result != SQLITE_OK) throw Error(path, "SQLite cannot open it");
  return handle;
}

void do_statement(sqlite3* database, const std::string& statement) {
  char* message = nullptr;
  if (sqlite3_exec(database, statement.c_str(), nullptr, nullptr, &message) == SQLITE_OK) return;
  const std::string what = message == nullptr ? "out of memory" : message;
  sqlite3_free(message);
  throw Error("SQL: " + what);
}

void list_schemas(sqlite3* database, TablesBySchema& schemas, const KernelDictionary& dictionary) {
  add_table_module(database, schemas);
  add_arguments_module(database, schemas);
  add_slice_tree_modules(database, schemas);
  add_interval_intersect_module(database);
  add_functions(database, dictionary);
  do_statement(database, "PRAGMA temp_store = MEMORY; PRAGMA writable_schema = ON");
  for (const auto& [schema, tables] : schemas) {
    if (schema != kMainSchema) do_statement(database, fmt::format("ATTACH ':memory:' AS {}", sql_identifier(schema)));
    list_tables(database, schema, *tables);
  }
  do_statement(database, "PRAGMA writable_schema = RESET");
}

void limit_sql() {
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(kMostSqlMemory));
}

bool is_sql_limited() {
  return sqlite3_hard_heap_limit64(-1) > 0;
}

SqlDatabase::SqlDatabase(std::vector<OpenedRun> runs, KernelDictionary dictionary)
    : runs_(std::move(runs)), dictionary_(std::move(dictionary)), handle_(open_sqlite(":memory:")) {
  choose_schemas();
  list_schemas(handle_.get(), schemas_, dictionary_);
  sqlite3_set_authorizer(handle_.get(), allow, nullptr);
  if (is_sql_limited()) sqlite3_limit(handle_.get(), SQLITE_LIMIT_LENGTH, static_cast<int>(kLongestSqlText));
  constexpr int kSteps = 5000;  // of SQLite's machine, some 100 us
  sqlite3_progress_handler(handle_.get(), kSteps, must_end, this);
}

void SqlDatabase::choose_schemas() {
  std::vector<NamedRun> all;
  for (const OpenedRun& run : runs_) {
    all.push_back({run.name, run.tables.get()});
    const bool has_schema =
        run.name == kMainSchema || schemas_.size() - schemas_.count(kMainSchema) < kMostNamedSchemas;
    if (has_schema) schemas_.emplace(run.name, run.tables.get());
  }
  if (all.size() < 2) return;
  stacked_ = std::make_unique<StackedTables>(all);
  schemas_.emplace(kRunsSchema, stacked_.get());  // a run of that name has it instead
  const SessionFacts* a = all[0].tables->facts();
  const SessionFacts* b = all[1].tables->facts();
  if (all.size() != 2 || a == nullptr || b == nullptr) return;
  compared_ = std::make_unique<ComparedTables>(*a, *b);
  schemas_.emplace(kCompareSchema, compared_.get());
  checked_ =
      std::make_unique<CheckedTables>(CheckedTables::Side{all[0].name, *a}, CheckedTables::Side{all[1].name, *b});
  schemas_.emplace(kGateSchema, checked_.get());
}

bool SqlDatabase::has_run(std::string_view name) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const OpenedRun& run) { return run.name == name; });
}

int SqlDatabase::must_end(void* database) {
  auto& self = *static_cast<SqlDatabase*>(database);
  if (self.is_interrupted()) return 1;
  self.late_ = self.deadline_ && std::chrono::steady_clock::now() > *self.deadline_;
  return self.late_ ? 1 : 0;
}

bool SqlDatabase::is_interrupted() const {
  return interrupted_.load(std::memory_order_relaxed) || (stopped_ && stopped_->load(std::memory_order_relaxed));
}

void SqlDatabase::begin_query(std::optional<std::chrono::nanoseconds> most,
                              std::shared_ptr<const std::atomic<bool>> stopped) {
  stopped_ = std::move(stopped);
  interrupted_.store(false, std::memory_order_relaxed);
  late_ = false;
  deadline_.reset();
  most_ = most.value_or(std::chrono::nanoseconds(0));
  if (most) deadline_ = std::chrono::steady_clock::now() + *most;
}

void SqlDatabase::give_back_memory() {
  sqlite3_db_release_memory(handle_.get());
  return_freed_memory();
}

std::string SqlDatabase::why_ended() const {
  if (is_interrupted()) return "interrupted";
  if (late_) return fmt::format("it took longer than the {} s that it may", seconds_of(most_));
  return "";
}

}  // namespace cgpu
