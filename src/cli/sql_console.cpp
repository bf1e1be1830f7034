#include "cli/sql_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "base/error.h"
#include "cli/terminal.h"
#include "sql/arguments_module.h"
#include "sql/query.h"
#include "sql/schema.h"
#include "table/batches.h"
#include "table/text.h"

namespace cgpu {

namespace {

constexpr const char* kHelp =
    ".tables         the tables, with their meaning\n"
    ".schema TABLE   the columns of a table, with unit and meaning; without a name, of all tables\n"
    ".help           this\n"
    ".quit           ends, as does Ctrl-D\n"
    "Everything else is SQL (SQLite's), ended by a ';'. Functions besides SQLite's own:\n"
    "  span_union(start, end)  percentile(x, p)  median(x)  stddev(x)  overlap(a, b, c, d)\n"
    "  class(name)  demangle(name)  text REGEXP pattern; and the table function arguments(slice)\n";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n;";
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// What is wrong with a statement, and which command of the prompt helps.
std::string with_help(const std::string& message) {
  if (message.starts_with("SQL: no such table: ")) return message + "; .tables names them all";
  if (message.starts_with("SQL: no such column: ")) return message + "; .schema TABLE names the columns of a table";
  return message;
}

}  // namespace

bool SqlConsole::is_command(std::string_view text) {
  text = trimmed(text);
  return text.size() > 1 && text[0] == '.' && text[1] >= 'a' && text[1] <= 'z' &&
         text.substr(0, text.find(' ')).find_first_of("/.", 1) == std::string_view::npos;
}

void SqlConsole::run(std::string_view text) {
  if (is_command(text)) return run_command(trimmed(text));
  try {
    while (!text.empty()) {
      database_.begin_query(options_.most_time);
      Query query(database_, text);
      if (!query.empty()) run_statement(query);
      text = query.rest();
    }
  } catch (const Error& error) {
    throw Error(with_help(error.what()));
  }
}

void SqlConsole::run_command(std::string_view text) {
  const std::string command(text.substr(0, text.find(' ')));
  const std::string rest(trimmed(text.substr(command.size())));
  if (command == ".tables" && rest.empty()) return write_tables();
  if (command == ".schema") return write_schema(rest);
  if (command == ".help" && rest.empty()) {
    out_ << kHelp;
  } else if ((command == ".quit" || command == ".exit") && rest.empty()) {
    has_ended_ = true;
  } else {
    throw Error(std::string(text) + ": there is no such command; .help names them");
  }
}

void SqlConsole::run_statement(Query& query) {
  if (options_.format == "text") return write_text(query);
  size_t left = options_.most_rows.value_or(0) == 0 ? SIZE_MAX : *options_.most_rows;
  ++results_;
  if (options_.format == "csv") {
    if (results_ > 1) out_ << '\n';
    CsvWriter csv(out_, options_.csv_text);
    while (const std::optional<Table> batch = query.next(std::min(left, kBatchRows))) {
      csv.add(*batch);
      left -= batch->row_count();
      if (left == 0) break;
    }
    return;
  }
  std::optional<Table> table = query.next(left);
  if (!table) return;
  table->name = results_ == 1 ? "result" : fmt::format("result_{}", results_);
  if (!json_) json_.emplace(out_, "sql", options_.inputs);
  json_->add(*table);
}

void SqlConsole::write_text(Query& query) {
  const size_t wanted = options_.most_rows.value_or(kRowsOnScreen);
  std::optional<Table> table = query.next(wanted == 0 ? SIZE_MAX : wanted);
  if (!table) return;
  table->name = table->about = "";
  TextOptions options = text_options();
  options.max_rows = 0;
  out_ << render_text(*table, options);
  if (wanted == 0 || table->row_count() < wanted) return;
  const std::optional<Table> more = query.next(1);
  if (more && !more->empty()) out_ << "... more rows (--top 0 shows all)\n";
}

void SqlConsole::write_tables() {
  Table list("", "", {{"table", ColumnType::text, "", ""}, {"about", ColumnType::text, "", ""}});
  for (const auto& [schema, run] : database_.runs()) {
    const std::string before = schema == kMainSchema ? "" : sql_identifier(schema) + ".";
    for (const Analysis* analysis : run->list()) list.append({before + analysis->name, analysis->about});
    if (run->facts() != nullptr) {
      list.append({before + kArgumentsModule + "(slice)", "table function: the arguments of an event"});
    }
  }
  TextOptions options = text_options();
  options.bare = true;
  options.max_rows = 0;
  out_ << render_text(list, options);
}

void SqlConsole::write_schema(const std::string& table) {
  if (table.empty()) {
    for (const Analysis& analysis : all_analyses()) {
      out_ << create_statement(analysis.name, analysis.about, analysis.columns) << ";\n";
    }
    return;
  }
  if (table == kArgumentsModule) {
    out_ << "CREATE TABLE arguments (  -- the arguments of an event\n  " << kArgumentsColumns << ");\n";
    return;
  }
  const size_t point = table.find('.');
  const std::string schema = point == std::string::npos ? database_.runs().begin()->first : table.substr(0, point);
  const auto run = database_.runs().find(schema);
  if (run == database_.runs().end()) throw Error(schema + ": no run has this name");
  const Analysis& analysis = find_analysis(point == std::string::npos ? table : table.substr(point + 1));
  const Table& declared = run->second->table(analysis).source().declared();
  out_ << create_statement(analysis.name, declared.about, declared.columns) << ";\n";
}

void SqlConsole::finish() {
  if (options_.format != "json") return;
  if (!json_) json_.emplace(out_, "sql", options_.inputs);
  json_->finish();
}

}  // namespace cgpu
