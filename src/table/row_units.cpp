#include "table/row_units.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "table/units.h"

namespace cgpu {

namespace {

/// Others of these tables are ratios and numbers of samples, which have no unit.
constexpr std::array<std::string_view, 23> kFigures = {"value",
                                                       "a",
                                                       "b",
                                                       "delta",
                                                       "low",
                                                       "high",
                                                       "exclusive_a",
                                                       "exclusive_b",
                                                       "min",
                                                       "mean",
                                                       "median",
                                                       "max",
                                                       "time_mean",
                                                       "first",
                                                       "last",
                                                       "growth",
                                                       "predicted",
                                                       "measured",
                                                       "held_out",
                                                       "held_out_predicted",
                                                       "held_out_low",
                                                       "held_out_high",
                                                       "constant"};

}  // namespace

std::optional<size_t> unit_column(const Table& table) {
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].name == "unit" && table.columns[column].type == ColumnType::text) return column;
  }
  return std::nullopt;
}

bool is_in_row_unit(const Table& table, size_t column) {
  const Column& of = table.columns[column];
  return of.type == ColumnType::real && of.unit.empty() &&
         std::find(kFigures.begin(), kFigures.end(), of.name) != kFigures.end() && unit_column(table).has_value();
}

Table with_row_units(const Table& table) {
  const std::optional<size_t> units = unit_column(table);
  if (!units) return table;
  Table shown = table;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (!is_in_row_unit(table, column)) continue;
    ColumnValues texts(ColumnType::text);
    for (const RowView row : table.rows()) {
      const Cell figure = row[column];
      const Cell unit = row[*units];
      if (is_absent(figure)) {
        texts.append_absent();
      } else {
        texts.append(std::string_view(
            format_value(std::get<double>(figure), is_absent(unit) ? "" : std::get<std::string>(unit))));
      }
    }
    Column declared = table.columns[column];
    declared.type = ColumnType::text;
    shown.replace_column(column, std::move(declared), std::move(texts));
  }
  shown.erase_column(*units);
  return shown;
}

}  // namespace cgpu
