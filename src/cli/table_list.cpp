#include "cli/table_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/terminal.h"
#include "table/json.h"
#include "table/markdown.h"
#include "table/text.h"

namespace cgpu {

namespace {

Table columns_of(const DeclaredTable& declared) {
  Table columns("", "",
                {{"column", ColumnType::text, "", ""},
                 {"type", ColumnType::text, "", ""},
                 {"unit", ColumnType::text, "", ""},
                 {"role", ColumnType::text, "", ""},
                 {"meaning", ColumnType::text, "", ""}});
  for (const Column& column : declared.columns) {
    columns.append({column.name, text_of(column.type), column.unit, text_of(column.role), column.about});
  }
  return columns;
}

}  // namespace

std::string list_as_markdown(const std::vector<DeclaredTable>& declared, const std::string& call) {
  std::string text = fmt::format(
      "# Tables of `{}`\n\n"
      "The role of a column: key says which row it is, measure how much, moment is a time from the start of the "
      "profile, depth the steps from the root of a tree, and text says more about the row. Types: int is exact (64 "
      "bits), float a double. What is absent is null in JSON and empty in CSV, which is not 0. Tables over a call tree "
      "have more columns for each metric.\n",
      call);
  for (const DeclaredTable& table : declared) {
    text += fmt::format("\n## {}\n\n{}. Subject: {}.\n\n", table.name, escape_markdown(table.about), table.subject);
    if (!table.aliases.empty()) text += fmt::format("Also called {}.\n\n", fmt::join(table.aliases, ", "));
    for (const TableOption& option : table.options) {
      const std::string by_default = option.fallback.empty() ? "" : fmt::format(" (default: {})", option.fallback);
      text += fmt::format("Option `--{}`: {}.\n\n", option.name, escape_markdown(option.about + by_default));
    }
    text += render_markdown(columns_of(table));
  }
  return text;
}

std::string list_as_text(const std::vector<DeclaredTable>& declared, const std::string& call) {
  size_t indent = 0;
  for (const DeclaredTable& table : declared) indent = std::max(indent, table.name.size() + 1);
  const size_t width = std::max<size_t>(text_options().width, 2 * indent);
  std::string text = fmt::format("tables that `{}` can show\n", call);
  for (const DeclaredTable& table : declared) {
    std::string about = table.about;
    if (!table.aliases.empty()) about += fmt::format(" (also called {})", fmt::join(table.aliases, ", "));
    std::string start = fmt::format("{:<{}}", table.name + " ", indent);
    std::istringstream lines(wrap_text(about, width - indent));
    for (std::string line; std::getline(lines, line);) {
      text += std::exchange(start, std::string(indent, ' ')) + line + "\n";
    }
  }
  return text;
}

void write_table_list(std::ostream& out, const std::string& format, const std::string& verb,
                      const std::vector<DeclaredTable>& declared, const std::string& call) {
  if (format == "json") return write_json(out, verb, {}, whole_list(declared));
  out << (format == "md" ? list_as_markdown : list_as_text)(declared, call);
}

}  // namespace cgpu
