#include "sql/schema.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/ascii.h"

namespace cgpu {

namespace {

/// What is behind "--", on one line whatever it says.
std::string comment(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return text;
}

}  // namespace

std::string sql_identifier(std::string_view name) {
  const bool plain = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                     std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (plain && sqlite3_keyword_check(name.data(), static_cast<int>(name.size())) == 0) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\0' ? ' ' : c);
  return quoted + '"';
}

std::vector<std::string> sql_names(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Column& column : columns) {
    std::string name = column.name;
    const auto is_free = [&] { return taken.insert(lower_case(name)).second; };
    for (int copy = 2; !is_free(); ++copy) name = fmt::format("{}_{}", column.name, copy);
    names.push_back(std::move(name));
  }
  return names;
}

const char* sql_type(ColumnType type) {
  switch (type) {
    case ColumnType::integer:
      return "INTEGER";
    case ColumnType::real:
      return "REAL";
    case ColumnType::text:
      break;
  }
  return "TEXT";
}

std::string create_statement(const std::string& name, const std::string& about, const std::vector<Column>& columns) {
  const std::vector<std::string> names = sql_names(columns);
  std::string text = fmt::format("CREATE TABLE {} (  -- {}", sql_identifier(name), comment(about));
  for (size_t i = 0; i < columns.size(); ++i) {
    text += fmt::format(
        "\n  {} {}{}  -- {}{}", sql_identifier(names[i]), sql_type(columns[i].type), i + 1 < columns.size() ? "," : "",
        columns[i].unit.empty() ? "" : fmt::format("[{}] ", comment(columns[i].unit)), comment(columns[i].about));
  }
  return text + "\n)";
}

}  // namespace cgpu
