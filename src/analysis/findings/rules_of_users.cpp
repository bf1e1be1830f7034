// Rules that a user gave (ruleset.h): rows of a table that meet a filter.
#include <fmt/format.h>

#include <string>

#include "analysis/findings/rule_context.h"
#include "base/error.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// One row: how many rows `table` has, and the sums of its columns of numbers.
Table sums_of(const Table& table) {
  Table sums(table.name, "", {{.name = "rows", .type = ColumnType::integer, .unit = "count", .about = ""}});
  Row row{static_cast<int64_t>(table.row_count())};
  for (size_t column = 0; column < table.columns.size(); ++column) {
    const ColumnType type = table.columns[column].type;
    if (type == ColumnType::text) continue;
    int64_t whole = 0;
    double real = 0;
    for (const RowView each : table.rows()) {
      const Cell cell = each[column];
      if (const auto* number = std::get_if<int64_t>(&cell)) whole += *number;
      if (const auto* number = std::get_if<double>(&cell)) real += *number;
    }
    sums.columns.push_back(table.columns[column]);
    row.push_back(type == ColumnType::integer ? Cell(whole) : Cell(real));
  }
  sums.append(row);
  return sums;
}

/// The title with values in the place of {rows}, {COLUMN} and {sum COLUMN}.
std::string filled(const std::string& title, const Table& rows, const Table& sums) {
  std::string text;
  for (size_t at = 0; at < title.size();) {
    const size_t open = title.find('{', at);
    const size_t close = open == std::string::npos ? open : title.find('}', open);
    if (close == std::string::npos) return text + title.substr(at);
    const std::string inside = title.substr(open + 1, close - open - 1);
    const bool of_all = inside == "rows" || inside.starts_with("sum ");
    const Table& from = of_all ? sums : rows;
    const size_t column = from.column(inside.starts_with("sum ") ? inside.substr(4) : inside);
    text += title.substr(at, open - at) + format_cell(from.cell(0, column), from.columns[column]);
    at = close + 1;
  }
  return text;
}

}  // namespace

void find_by_users_rules(RuleContext& context, std::vector<Finding>& findings) {
  for (const TableRule& rule : context.rules()) {
    Table rows = context.table(rule.table);
    try {
      rule.where.apply(rows);
      if (rows.empty()) continue;
      const Table sums = sums_of(rows);
      if (rule.when.matches(sums).empty()) continue;
      findings.push_back(
          {.rule = rule.name,
           .title = filled(rule.title, rows, sums),
           .evidence = fmt::format("{} rows of {} ({})", format_count(static_cast<int64_t>(rows.row_count())),
                                   rule.table, rule.place),
           .suggestion = rule.suggestion,
           .command = rule.table,
           .confidence = Confidence::high,
           .severity = rule.severity});
    } catch (const Error& error) {
      throw Error(rule.place, error.what());
    }
  }
}

}  // namespace cgpu
