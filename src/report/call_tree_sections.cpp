// Sections about the call tree: what was measured, where it goes, why the device's instructions waited.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/call_tree/frame_roles.h"
#include "report/cells.h"
#include "report/phrases.h"
#include "report/sections.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// "3.97 s", by the unit in the row.
std::string value_text(double value, const std::string& unit) {
  Column column;
  column.type = ColumnType::real;
  column.unit = unit;
  return format_cell(value, column);
}

std::vector<std::string_view> with_rank(const Scope& scope, std::vector<std::string_view> columns) {
  if (scope.several_ranks) columns.insert(columns.begin(), "rank");
  return columns;
}

/// Gives each value its own unit: the metrics of one table have different ones.
void show_in_units(Table& page, const Table& from) {
  const size_t value = page.column("value");
  ColumnValues texts(ColumnType::text);
  for (size_t i = 0; i < page.row_count(); ++i) {
    const std::string unit = text_of(from, from.row(i), "unit");
    texts.append(std::string_view(value_text(number_of(from, from.row(i), "value"), unit)));
  }
  Column shown = page.columns[value];
  shown.type = ColumnType::text;
  page.replace_column(value, std::move(shown), std::move(texts));
}

/// A function that one thread runs alone is no work that could be divided otherwise; the runtime's is not the
/// program's.
bool is_divided_work(const Table& imbalance, RowView row) {
  return integer_of(imbalance, row, "profiles") > 1 &&
         frame_role(text_of(imbalance, row, "name"), "", "") == FrameRole::user;
}

}  // namespace

bool has_divided_work(const Table& imbalance) {
  const auto rows = imbalance.rows();
  return std::any_of(rows.begin(), rows.end(), [&](RowView row) { return is_divided_work(imbalance, row); });
}

Section describe_metrics(Table table, const Scope& scope) {
  Table measured = table;
  measured.keep_rows([&](RowView row) { return has_value(table, row, "value"); });
  const size_t without = table.row_count() - measured.row_count();
  std::string summary =
      fmt::format("The call tree holds {}", counted(static_cast<int64_t>(measured.row_count()), "metric"));
  summary += without == 0 ? "." : fmt::format("; {} more were asked for and have no value.", without);
  constexpr size_t kRows = 24;
  Section section =
      section_of("Metrics of the call tree", summary, measured, with_rank(scope, {"name", "value", "about"}), kRows);
  if (!section.page.empty()) show_in_units(section.page, measured);
  section.table = std::move(table);
  return section;
}

Section describe_hot_path(Table table, const Scope& scope) {
  const RowView end = table.row(table.row_count() - 1);
  const std::string unit = table.columns[table.column("value")].unit;
  const std::string summary = fmt::format(
      "Of {}, {} go through {}, {} below the root, where the path divides.",
      value_text(number_of(table, table.row(0), "value"), unit), share_text(number_of(table, end, "pct"), 100.0),
      quoted_name(text_of(table, end, "name")), counted(integer_of(table, end, "depth"), "step"));
  constexpr size_t kRows = 24;
  return section_of("Hot path", summary, std::move(table), with_rank(scope, {"depth", "name", "value", "pct"}), kRows);
}

bool has_function_costs(const Table& functions) {
  return !functions.empty() && functions.columns[functions.column("name") + 1].name.ends_with(".inclusive");
}

Section describe_functions(Table table, const Scope& scope) {
  // Columns METRIC.inclusive and METRIC.exclusive of the main metric are the first of all metrics.
  const std::string here_and_below = table.columns[table.column("name") + 1].name;
  const std::string here = table.columns[table.column("name") + 2].name;
  const std::string metric = here.substr(0, here.rfind('.'));
  double whole = 0;
  for (const RowView row : table.rows()) whole += has_value(table, row, here) ? number_of(table, row, here) : 0;
  const RowView first = table.row(0);
  std::string summary = "By what they take themselves, in all call paths.";
  if (has_value(table, first, here) && whole > 0) {
    const double most = number_of(table, first, here);
    summary = fmt::format("By what they take themselves, in all call paths. Most: {}, {} ({} of {}).",
                          quoted_name(text_of(table, first, "name")),
                          value_text(most, table.columns[table.column(here)].unit), share_text(most, whole), metric);
  }
  return section_of("Functions", summary, std::move(table), with_rank(scope, {"name", here_and_below, here}));
}

Section describe_imbalance(Table table, const Scope& scope) {
  Table divided = table;
  divided.keep_rows([&](RowView row) { return is_divided_work(table, row); });
  const RowView first = divided.row(0);
  const std::string unit = divided.columns[divided.column("max")].unit;
  const auto value = [&](const char* column) { return value_text(number_of(divided, first, column), unit); };
  const std::string summary = fmt::format(
      "By function, here and below, over the threads and ranks that come to it. Most uneven: {}, {} at most ({}), {} "
      "on average.",
      quoted_name(text_of(divided, first, "name")), value("max"), text_of(divided, first, "worst"), value("mean"));
  Section section = section_of("Imbalance of threads and ranks", summary, std::move(divided),
                               with_rank(scope, {"name", "min", "mean", "max", "imbalance", "worst", "profiles"}));
  section.table = std::move(table);
  return section;
}

Section describe_stalls(Table table, const Scope& scope) {
  RowView first = table.row(0);
  const std::string summary =
      fmt::format("Instructions on the device that waited did so most of all for this reason: {} ({}).",
                  text_of(table, first, "about"), share_text(number_of(table, first, "pct"), 100.0));
  return section_of("What instructions waited for", summary, std::move(table),
                    with_rank(scope, {"reason", "pct", "value", "about"}));
}

}  // namespace cgpu
