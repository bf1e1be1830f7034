#include "report/cells.h"

#include <algorithm>
#include <cmath>

namespace cgpu {

int64_t integer_of(const Table& table, RowView row, std::string_view column) {
  const Cell cell = row[table.column(column)];
  const auto* value = std::get_if<int64_t>(&cell);
  return value ? *value : 0;
}

double number_of(const Table& table, RowView row, std::string_view column) {
  const Cell cell = row[table.column(column)];
  if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
  const auto* real = std::get_if<double>(&cell);
  return real && std::isfinite(*real) ? *real : 0;
}

std::string text_of(const Table& table, RowView row, std::string_view column) {
  const Cell cell = row[table.column(column)];
  const auto* text = std::get_if<std::string>(&cell);
  return text ? *text : "";
}

bool has_value(const Table& table, RowView row, std::string_view column) {
  return !is_absent(row[table.column(column)]);
}

bool has_column(const Table& table, std::string_view column) {
  return std::ranges::any_of(table.columns, [&](const Column& each) { return each.name == column; });
}

bool has_any(const Table& table, std::string_view column) {
  return table.values(table.column(column)).absent_count() < table.row_count();
}

int64_t sum_of(const Table& table, std::string_view column) {
  int64_t sum = 0;
  for (const RowView row : table.rows()) sum += integer_of(table, row, column);
  return sum;
}

bool varies(const Table& table, std::string_view column) {
  const ColumnValues& values = table.values(table.column(column));
  for (size_t row = 1; row < table.row_count(); ++row) {
    if (values.compare(row, 0) != 0) return true;
  }
  return false;
}

RowView largest_of(const Table& table, std::string_view column) {
  const Table::Rows rows = table.rows();
  return *std::max_element(rows.begin(), rows.end(), [&](RowView a, RowView b) {
    return integer_of(table, a, column) < integer_of(table, b, column);
  });
}

Table cut_table(const Table& table, const std::vector<std::string_view>& columns, size_t rows) {
  Table page{table.name, table.about};
  std::vector<size_t> indices;
  for (const std::string_view column : columns) {
    indices.push_back(table.column(column));
    page.columns.push_back(table.columns[indices.back()]);
  }
  for (size_t r = 0; r < shown_rows(table, rows); ++r) {
    Row row;
    for (const size_t index : indices) row.push_back(table.cell(r, index));
    page.append(row);
  }
  for (size_t c = page.columns.size(); c-- > 0;) {
    if (!page.empty() && page.values(c).absent_count() == page.row_count()) page.erase_column(c);
  }
  return page;
}

}  // namespace cgpu
