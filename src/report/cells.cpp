#include "report/cells.h"

#include <algorithm>
#include <cmath>

namespace cgpu {

int64_t integer_of(const Table& table, const Row& row, std::string_view column) {
  const auto* value = std::get_if<int64_t>(&row[table.column(column)]);
  return value ? *value : 0;
}

double number_of(const Table& table, const Row& row, std::string_view column) {
  const Cell& cell = row[table.column(column)];
  if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
  const auto* real = std::get_if<double>(&cell);
  return real && std::isfinite(*real) ? *real : 0;
}

std::string text_of(const Table& table, const Row& row, std::string_view column) {
  const auto* text = std::get_if<std::string>(&row[table.column(column)]);
  return text ? *text : "";
}

bool has_value(const Table& table, const Row& row, std::string_view column) {
  return !is_absent(row[table.column(column)]);
}

int64_t sum_of(const Table& table, std::string_view column) {
  int64_t sum = 0;
  for (const Row& row : table.rows) sum += integer_of(table, row, column);
  return sum;
}

bool varies(const Table& table, std::string_view column) {
  const size_t index = table.column(column);
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const Row& row) { return row[index] != table.rows[0][index]; });
}

const Row& largest_of(const Table& table, std::string_view column) {
  return *std::max_element(table.rows.begin(), table.rows.end(), [&](const Row& a, const Row& b) {
    return integer_of(table, a, column) < integer_of(table, b, column);
  });
}

Table cut_table(const Table& table, const std::vector<std::string_view>& columns, size_t rows) {
  Table page{table.name, table.about, {}, {}};
  std::vector<size_t> indices;
  for (const std::string_view column : columns) {
    indices.push_back(table.column(column));
    page.columns.push_back(table.columns[indices.back()]);
  }
  for (size_t r = 0; r < shown_rows(table, rows); ++r) {
    Row& row = page.rows.emplace_back();
    for (const size_t index : indices) row.push_back(table.rows[r][index]);
  }
  for (size_t c = page.columns.size(); c-- > 0;) {
    const auto empty = [c](const Row& row) { return is_absent(row[c]); };
    if (page.rows.empty() || !std::all_of(page.rows.begin(), page.rows.end(), empty)) continue;
    page.columns.erase(page.columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (Row& row : page.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
  return page;
}

}  // namespace cgpu
