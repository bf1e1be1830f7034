#include "cli/sql_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "base/error.h"
#include "base/nearest_names.h"
#include "cli/terminal.h"
#include "sql/arguments_module.h"
#include "sql/interval_intersect_module.h"
#include "sql/query.h"
#include "sql/schema.h"
#include "sql/slice_tree_module.h"
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
    "  class(name)  demangle(name)  text REGEXP pattern\n"
    "and table functions: arguments(slice)  ancestors(slice)  descendants(slice)  interval_intersect(a, b, same)\n";

struct TableFunction {
  std::string_view name;
  std::string_view about;
  std::string_view columns;
};
constexpr TableFunction kTableFunctions[] = {
    {kArgumentsModule, "the arguments of an event", kArgumentsColumns},
    {kAncestorsModule, "the slices around a slice on its thread, from the innermost outwards", kSliceTreeColumns},
    {kDescendantsModule, "the slices inside a slice, each before those inside it", kSliceTreeColumns},
    {kIntervalIntersectModule, "where intervals of two tables or queries overlap", kIntervalIntersectColumns}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n;";
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// What is wrong with a statement, and which command of the prompt helps.
std::string with_help(const std::string& message) {
  const std::string before = message.ends_with('?') ? " " : "; ";
  if (message.starts_with("SQL: no such table: ")) return message + before + ".tables names them all";
  if (message.starts_with("SQL: no such column: ")) {
    return message + before + ".schema TABLE names the columns of a table";
  }
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
      if (!query.empty()) {
        query.bind(options_.parameters);
        run_statement(query);
      }
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
  for (const auto& [schema, tables] : database_.schemas()) {
    const std::string before = schema == kMainSchema ? "" : sql_identifier(schema) + ".";
    for (const SqlTable& table : tables->list()) {
      if (table.has_rows) list.append({before + table.name, table.about});
    }
    if (tables->facts() == nullptr) continue;
    list.append({before + kArgumentsModule + "(slice)", "table function: the arguments of an event"});
    list.append({before + kAncestorsModule + "(slice)", "table function: the slices around a slice on its thread"});
    list.append({before + kDescendantsModule + "(slice)", "table function: the slices inside a slice"});
  }
  list.append({std::string(kIntervalIntersectModule) + "(a, b, same)",
               "table function: where intervals of two tables or queries overlap"});
  TextOptions options = text_options();
  options.bare = true;
  options.max_rows = 0;
  out_ << render_text(list, options);
}

void SqlConsole::write_schema(const std::string& table) {
  const auto first = database_.schemas().contains(kMainSchema) ? database_.schemas().find(kMainSchema)
                                                               : database_.schemas().begin();
  if (table.empty()) {
    for (const SqlTable& each : first->second->list()) {
      out_ << create_statement(each.name, each.about, each.columns) << ";\n";
    }
    return;
  }
  for (const TableFunction& function : kTableFunctions) {
    if (table != function.name) continue;
    out_ << "CREATE TABLE " << table << " (  -- " << function.about << "\n  " << function.columns << ");\n";
    return;
  }
  const size_t point = table.find('.');
  const auto schema = point == std::string::npos ? first : database_.schemas().find(table.substr(0, point));
  if (schema == database_.schemas().end()) throw Error(table.substr(0, point) + ": no run has this name");
  const std::string name = point == std::string::npos ? table : table.substr(point + 1);
  const SqlTable* found = schema->second->find(name);
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const SqlTable& each : schema->second->list()) names.push_back(each.name);
    throw Error(name + ": there is no such table; " + did_you_mean(name, names) + " .tables names them all");
  }
  const Table& declared = schema->second->table(*found).source().declared();
  out_ << create_statement(found->name, declared.about, declared.columns) << ";\n";
}

void SqlConsole::finish() {
  if (options_.format != "json") return;
  if (!json_) json_.emplace(out_, "sql", options_.inputs);
  json_->finish();
}

}  // namespace cgpu
