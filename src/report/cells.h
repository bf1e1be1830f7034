// Reading tables by column name: what the story and the charts are made from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace cgpu {

/// The integer in a column of a row; 0 where the cell is absent or no integer.
int64_t integer_of(const Table& table, RowView row, std::string_view column);
/// The number in a column of a row; 0 where the cell is absent or no number.
double number_of(const Table& table, RowView row, std::string_view column);
/// The text in a column of a row; "" where the cell is absent or no text.
std::string text_of(const Table& table, RowView row, std::string_view column);
/// Whether there is a value in a column of a row.
bool has_value(const Table& table, RowView row, std::string_view column);
/// Whether there is such a column: a table in a summary lacks those that are younger than the version which wrote it.
bool has_column(const Table& table, std::string_view column);

/// Whether there is a value in a column of any row.
bool has_any(const Table& table, std::string_view column);

int64_t sum_of(const Table& table, std::string_view column);
/// Whether two rows differ in a column.
bool varies(const Table& table, std::string_view column);
/// The row with the largest value of an integer column; the table must not be empty.
RowView largest_of(const Table& table, std::string_view column);

/// These columns of the first `rows` rows (0 for all), without those in which no row has a value.
Table cut_table(const Table& table, const std::vector<std::string_view>& columns, size_t rows = 0);

}  // namespace cgpu
