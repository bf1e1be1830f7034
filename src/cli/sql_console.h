// Statements of SQL and the commands of the prompt (.tables, .schema, .help, .quit), done one after another.
#pragma once

#include <chrono>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/database.h"
#include "sql/query.h"
#include "table/csv.h"
#include "table/json.h"
#include "table/table.h"

namespace cgpu {

struct SqlConsoleOptions {
  std::string format = "text";                        // text, csv or json
  std::vector<std::string> inputs;                    // as JSON names them
  std::optional<size_t> most_rows;                    // of a result; 0 for all, the default of text is 40
  std::optional<std::chrono::nanoseconds> most_time;  // of a query
  CsvText csv_text = CsvText::guarded;
  SqlParameters parameters = {};
};

/// For one thread at a time.
class SqlConsole {
 public:
  SqlConsole(SqlDatabase& database, SqlConsoleOptions options, std::ostream& out)
      : database_(database), options_(std::move(options)), out_(out) {}

  /// Does a command, or all statements of a text, and writes what they give. Throws Error.
  void run(std::string_view text);
  /// Whether a text is one of the commands that begin with a point, or would be one if it were spelt right.
  static bool is_command(std::string_view text);
  /// Whether .quit was given.
  bool has_ended() const { return has_ended_; }
  /// Ends what has been written: a JSON document. To be called once, last.
  void finish();

 private:
  void run_command(std::string_view text);
  void run_statement(class Query& query);
  void write_text(Query& query);
  void write_schema(const std::string& table);
  void write_tables();

  SqlDatabase& database_;
  const SqlConsoleOptions options_;
  std::ostream& out_;
  std::optional<JsonWriter> json_;  // begun with the first result
  int results_ = 0;
  bool has_ended_ = false;
};

}  // namespace cgpu
