#include "sql/query.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/nearest_names.h"
#include "base/parse_number.h"
#include "sql/schema.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// A column whose values say of what type it is: what has come so far is changed where a wider type comes.
class ResultColumn {
 public:
  ResultColumn(ColumnType type, bool is_declared) : values_(type), is_known_(is_declared) {}

  /// Returns the bytes of the text, where it is one.
  size_t append(sqlite3_stmt* statement, int number) {
    switch (sqlite3_column_type(statement, number)) {
      case SQLITE_NULL:
        values_.append_absent();
        return 0;
      case SQLITE_INTEGER:
        widen_to(ColumnType::integer);
        if (values_.type() == ColumnType::text) return append_text(statement, number);
        values_.append(static_cast<int64_t>(sqlite3_column_int64(statement, number)));
        return 0;
      case SQLITE_FLOAT:
        widen_to(ColumnType::real);
        if (values_.type() == ColumnType::text) return append_text(statement, number);
        values_.append(sqlite3_column_double(statement, number));
        return 0;
      case SQLITE_BLOB: {
        widen_to(ColumnType::text);
        const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, number));
        std::string text = "x'";
        for (int i = 0; i < sqlite3_column_bytes(statement, number); ++i) text += fmt::format("{:02x}", bytes[i]);
        values_.append(std::string_view(text += "'"));
        return text.size();
      }
      default:
        widen_to(ColumnType::text);
        return append_text(statement, number);
    }
  }

  ColumnValues take() && { return std::move(values_); }

 private:
  size_t append_text(sqlite3_stmt* statement, int number) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, number));
    if (text == nullptr) throw std::bad_alloc();
    const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, number));
    values_.append(std::string_view(text, size));
    return size;
  }

  void widen_to(ColumnType type) {
    const bool fits = type == values_.type() || values_.type() == ColumnType::text ||
                      (type == ColumnType::integer && values_.type() == ColumnType::real);
    if (is_known_ && fits) return;
    ColumnValues wider(type);
    wider.reserve(values_.size());
    for (size_t row = 0; row < values_.size(); ++row) {
      if (type == ColumnType::text && !values_.is_absent(row)) {
        wider.append(std::string_view(exact_cell(values_.cell(row))));
      } else {
        wider.append(values_.cell(row));
      }
    }
    values_ = std::move(wider);
    is_known_ = true;
  }

  ColumnValues values_;
  bool is_known_;  // else all are absent
};

/// The unit that the name of a column says: total_ns, busy_pct, mean_bytes.
std::string unit_of_name(std::string_view name) {
  if (name.ends_with("_ns")) return "ns";
  if (name.ends_with("_pct")) return "%";
  if (name == "bytes" || name.ends_with("_bytes")) return "bytes";
  return "";
}

}  // namespace

Query::Query(SqlDatabase& database, std::string_view sql) : database_(database), sql_(sql) {
  sqlite3_stmt* made = nullptr;
  const char* tail = nullptr;
  if (sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &made, &tail) != SQLITE_OK) {
    fail();
  }
  statement_.reset(made);
  rest_ = sql.substr(static_cast<size_t>(tail - sql.data()));
  if (made != nullptr && sqlite3_stmt_readonly(made) == 0) throw Error("SQL: only reading is possible here");
}

void Query::fail() const {
  if (const std::string why = database_.why_ended(); !why.empty()) throw Error("SQL: " + why);
  if (is_sql_limited() && sqlite3_errcode(database_.handle()) == SQLITE_NOMEM) {
    throw Error(fmt::format("SQL: it needs more than {} GiB of memory: sort or group less", kMostSqlMemory >> 30));
  }
  const std::string message = sqlite3_errmsg(database_.handle());
  if (sqlite3_errcode(database_.handle()) == SQLITE_AUTH) {
    throw Error("SQL: only reading is possible here (" + message + ")");
  }
  std::string place;
  if (const int at = sqlite3_error_offset(database_.handle()); at >= 0) {
    const std::string_view before = sql_.substr(0, static_cast<size_t>(at));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    place = fmt::format(" (line {}, column {})", line, column);
  }
  throw Error("SQL: " + message + place + hint(message));
}

namespace {

/// What follows `before` in a text; nothing where it does not begin with that.
std::optional<std::string> behind(const std::string& text, std::string_view before) {
  if (!text.starts_with(before)) return std::nullopt;
  return text.substr(before.size());
}

bool names_word(std::string_view text, std::string_view word) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

/// Behind the last point: "total" of "k.total".
std::string last_part(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

}  // namespace

std::string Query::hint(const std::string& message) const {
  std::vector<std::string> names;
  const std::optional<std::string> table = behind(message, "no such table: ");
  const std::optional<std::string> column = behind(message, "no such column: ");
  if (!table && !column) return "";
  if (table && table->find('.') != std::string::npos) {
    const std::string run = table->substr(0, table->find('.'));
    if (!database_.schemas().contains(run) && database_.has_run(run)) {
      return fmt::format("; of more than {} named runs the tables are in schema runs: runs.{} with run = '{}'",
                         kMostNamedSchemas, last_part(*table), run);
    }
  }
  for (const auto& [schema, tables] : database_.schemas()) {
    for (const SqlTable& each : tables->list()) {
      if (table) {
        names.push_back(each.name);
        names.insert(names.end(), each.aliases.begin(), each.aliases.end());
      } else if (names_word(sql_, each.name)) {
        for (const std::string& name : sql_names(each.columns)) names.push_back(name);
      }
    }
  }
  const std::string nearest = did_you_mean(last_part(table.value_or(column.value_or(""))), names);
  return nearest.empty() ? "" : "; " + nearest;
}

namespace {

struct Bind {
  sqlite3_stmt* statement;
  int number;

  void operator()(std::monostate) const {}  // NULL, as it is without
  void operator()(int64_t value) const { sqlite3_bind_int64(statement, number, value); }
  void operator()(double value) const { sqlite3_bind_double(statement, number, value); }
  void operator()(const std::string& value) const {
    sqlite3_bind_text64(statement, number, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  void operator()(const std::vector<uint8_t>& value) const {
    constexpr uint8_t kNothing = 0;  // no bytes are no NULL
    sqlite3_bind_blob64(statement, number, value.empty() ? &kNothing : value.data(), value.size(), SQLITE_TRANSIENT);
  }
};

/// The value of a parameter, whose name begins with ':', '@', '$' or '?'; null where none was given.
const SqlValue* value_of(const SqlParameters& parameters, int number, std::string_view name) {
  if (const auto* in_turn = std::get_if<std::vector<SqlValue>>(&parameters)) {
    const auto at = static_cast<size_t>(number - 1);
    return name.starts_with('?') && at < in_turn->size() ? &(*in_turn)[at] : nullptr;
  }
  if (name.starts_with('?')) throw Error("SQL: parameters have names here: write :name instead of ?");
  const auto& by_name = std::get<std::map<std::string, SqlValue>>(parameters);
  const auto found = by_name.find(std::string(name.substr(1)));
  return found == by_name.end() ? nullptr : &found->second;
}

}  // namespace

void Query::bind(const SqlParameters& parameters) {
  for (int number = 1; number <= sqlite3_bind_parameter_count(statement_.get()); ++number) {
    const char* name = sqlite3_bind_parameter_name(statement_.get(), number);
    const SqlValue* value = value_of(parameters, number, name == nullptr ? "?" : name);
    if (value == nullptr) {
      throw Error(fmt::format("SQL: no value was given for the parameter {}", name == nullptr ? "?" : name));
    }
    std::visit(Bind{statement_.get(), number}, *value);
  }
}

void Query::check_all_used(const SqlParameters& parameters) const {
  constexpr const char* kUnused = "SQL: the statement has no parameter for the value of {}";
  if (const auto* in_turn = std::get_if<std::vector<SqlValue>>(&parameters)) {
    const auto count = static_cast<size_t>(sqlite3_bind_parameter_count(statement_.get()));
    if (in_turn->size() > count) throw Error(fmt::format(kUnused, fmt::format("number {}", count + 1)));
    return;
  }
  for (const auto& [name, value] : std::get<std::map<std::string, SqlValue>>(parameters)) {
    const auto has = [&, wanted = &name](const char* mark) {
      return sqlite3_bind_parameter_index(statement_.get(), (mark + *wanted).c_str()) != 0;
    };
    if (!has(":") && !has("@") && !has("$")) throw Error(fmt::format(kUnused, name));
  }
}

std::pair<std::string, SqlValue> parse_sql_parameter(const std::string& text, std::string_view option) {
  const size_t end = text.find('=');
  if (end == std::string::npos || end == 0) throw Error(fmt::format("{} {}: write it as NAME=VALUE", option, text));
  const size_t begin = text[0] == ':' ? 1 : 0;
  std::string name = text.substr(begin, end - begin);
  std::string value = text.substr(end + 1);
  if (const auto integer = parse_number<int64_t>(value)) return {std::move(name), *integer};
  if (const auto real = parse_finite_number(value)) return {std::move(name), *real};
  const bool is_quoted = value.size() > 1 && value.front() == '\'' && value.back() == '\'';
  return {std::move(name), is_quoted ? value.substr(1, value.size() - 2) : std::move(value)};
}

std::optional<Column> Query::column_of_table(int number) const {
  sqlite3_stmt* statement = statement_.get();
  const char* schema = sqlite3_column_database_name(statement, number);
  const char* table = sqlite3_column_table_name(statement, number);
  const char* origin = sqlite3_column_origin_name(statement, number);
  if (schema == nullptr || table == nullptr || origin == nullptr) return std::nullopt;
  const auto tables = database_.schemas().find(schema);
  const SqlTable* known = tables == database_.schemas().end() ? nullptr : tables->second->find(table);
  if (known == nullptr) return std::nullopt;
  const std::vector<Column>& columns = tables->second->table(*known).source().declared().columns;
  const std::vector<std::string> names = sql_names(columns);
  const auto at = std::find(names.begin(), names.end(), origin);
  if (at == names.end()) return std::nullopt;
  return columns[static_cast<size_t>(at - names.begin())];
}

std::optional<Table> Query::next(size_t rows, size_t text_bytes) {
  if (empty() || at_end_) return std::nullopt;
  Table table("result", "rows of the query");
  std::vector<ResultColumn> results;
  const auto add_columns = [&] {
    for (int i = 0; i < sqlite3_column_count(statement_.get()); ++i) {
      const char* name = sqlite3_column_name(statement_.get(), i);
      std::optional<Column> declared = column_of_table(i);
      results.emplace_back(declared ? declared->type : ColumnType::text, declared.has_value());
      table.columns.push_back(declared.value_or(Column{"", ColumnType::text, unit_of_name(name), ""}));
      table.columns.back().name = name;
    }
  };
  size_t count = 0;
  for (size_t bytes = 0; count < rows && bytes < text_bytes; ++count) {
    const int result = sqlite3_step(statement_.get());
    if (table.columns.empty()) add_columns();  // a statement is made again by its first step where tables have changed
    if (result == SQLITE_DONE) {
      at_end_ = true;
      break;
    }
    if (result != SQLITE_ROW) fail();
    for (size_t i = 0; i < results.size(); ++i) bytes += results[i].append(statement_.get(), static_cast<int>(i));
  }
  if (count == 0 && has_begun_) return std::nullopt;
  has_begun_ = true;
  for (size_t i = 0; i < results.size(); ++i) {
    ColumnValues values = std::move(results[i]).take();
    table.columns[i].type = values.type();
    table.set_values(i, std::move(values));
  }
  return table;
}

bool is_whole_statement(const std::string& text) {
  return sqlite3_complete(text.c_str()) != 0;
}

}  // namespace cgpu
