// A statement of SQL and its rows, as a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "sql/database.h"
#include "sql/sql_parameters.h"
#include "table/table.h"

namespace cgpu {

/// "a=1", "a=0.5", "a=text" as name and value: a number where the text is one and is not in quotes. `option` as
/// errors name it. Throws Error.
std::pair<std::string, SqlValue> parse_sql_parameter(const std::string& text, std::string_view option);

/// One statement. The database must outlive it.
class Query {
 public:
  /// The first statement of `sql`. Throws Error, with the place in the text, for what is no SQL, for tables and columns
  /// that there are not, and for whatever would write.
  Query(SqlDatabase& database, std::string_view sql);

  /// Gives its parameters their values. Throws Error where one has none.
  void bind(const SqlParameters& parameters);
  /// Throws Error where a value is of no parameter.
  void check_all_used(const SqlParameters& parameters) const;

  /// What is behind the statement.
  std::string_view rest() const { return rest_; }
  /// Whether there is no statement, only spaces and comments.
  bool empty() const { return !statement_; }

  /// The next rows, at most so many, and none behind the one with which their texts reach so many bytes; nothing when
  /// all have been given, though the first time a table that may have no rows. A column that is one of a table's has
  /// its type, unit and meaning. Of another one, the values decide: int, float where any is, text where any is; the
  /// unit is that of its name (_ns, _pct, _bytes). Throws Error where the statement fails or is ended
  /// (SqlDatabase::interrupt).
  std::optional<Table> next(size_t rows, size_t text_bytes = SIZE_MAX);

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  [[noreturn]] void fail() const;
  /// What a message of SQLite about a name that does not exist is followed by: "; did you mean ...?", or nothing.
  std::string hint(const std::string& message) const;
  /// Where a column of the result is a column of a table: that one.
  std::optional<Column> column_of_table(int number) const;

  SqlDatabase& database_;
  std::string_view sql_;
  std::string_view rest_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  bool has_begun_ = false;
  bool at_end_ = false;
};

/// What `read` makes of the only statement there is. Throws Error where there is none, or another one behind it, and
/// as Query does; what a statement that failed has taken is given back.
template <typename Read>
auto read_only_statement(SqlDatabase& database, std::string_view sql, Read read, const SqlParameters& parameters = {}) {
  try {
    Query query(database, sql);
    if (query.empty()) throw Error("SQL: there is no statement");
    query.bind(parameters);
    query.check_all_used(parameters);
    if (!Query(database, query.rest()).empty()) throw Error("SQL: one statement at a time was expected");
    return read(query);
  } catch (const Error&) {
    database.give_back_memory();
    throw;
  }
}

/// Whether `text` ends with a whole statement, behind which is a ';'.
bool is_whole_statement(const std::string& text);

}  // namespace cgpu
