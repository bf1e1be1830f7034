// Short ways to write columns, cells and shares, so that a table reads as a list of what it holds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "table/table.h"

namespace cgpu {

/// A text that says which row it is: a name, a cause.
inline Column key_column(std::string name, std::string about) {
  return {std::move(name), ColumnType::text, "", std::move(about), ColumnRole::key};
}
/// A text that says more about the row.
inline Column text_column(std::string name, std::string about) {
  return {std::move(name), ColumnType::text, "", std::move(about), ColumnRole::text};
}
/// A number that is a name or a place, not a quantity: a rank, a device.
inline Column number_column(std::string name, std::string about) {
  return {std::move(name), ColumnType::integer, "", std::move(about), ColumnRole::key};
}
/// Steps from the root of a tree, whose rows are below the one that they are part of: texts indent the names by it.
inline Column depth_column(std::string name, std::string about) {
  return {std::move(name), ColumnType::integer, "", std::move(about), ColumnRole::depth};
}
/// ns from the start of the session. Analyses that are folded over runs (rows_by_run.h) give it on the run's clock.
inline Column moment_column(std::string name, std::string about) {
  return {std::move(name), ColumnType::integer, "ns", std::move(about), ColumnRole::moment};
}
inline Column count_column(std::string name, std::string about) {
  return {std::move(name), ColumnType::integer, "count", std::move(about)};
}
inline Column bytes_column(std::string name, std::string about) {
  return {std::move(name), ColumnType::integer, "bytes", std::move(about)};
}
/// A duration in whole nanoseconds.
inline Column time_column(std::string name, std::string about) {
  return {std::move(name), ColumnType::integer, "ns", std::move(about)};
}
/// Anything that may be fractional: mean nanoseconds ("ns"), bandwidths ("GB/s"), percentages ("%"), ...
inline Column real_column(std::string name, std::string unit, std::string about) {
  return {std::move(name), ColumnType::real, std::move(unit), std::move(about)};
}

/// What one reads the table for: text leaves it out last.
inline Column main_column(Column column) {
  column.weight = ColumnWeight::main;
  return column;
}
/// What follows from other columns, or says more than most readers want: text leaves it out first.
inline Column detail_column(Column column) {
  column.weight = ColumnWeight::detail;
  return column;
}

/// The rank of the process. RowsByRun fills it in.
inline Column rank_column() {
  return number_column("rank", "rank of the process, 0 where the profile names none");
}
inline Column device_column() {
  return number_column("device", "number of the device");
}
inline Column stream_column() {
  return number_column("stream", "number of the stream (queue) of the device");
}

inline Cell cell(std::string_view text) {
  return std::string(text);
}
/// Absent where there is no value.
template <typename T>
Cell cell(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}

/// 100 part / whole, absent where the whole is 0.
inline Cell percent_of(int64_t part, int64_t whole) {
  if (whole == 0) return {};
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// The order of two rows by their cells from left to right.
inline bool is_before_by_cells(const Table& table, uint32_t a, uint32_t b) {
  for (size_t each = 0; each < table.columns.size(); ++each) {
    if (const auto order = table.values(each).compare(a, b); order != 0) return order < 0;
  }
  return false;
}

/// Rows in descending order of an integer column, absent last; rows of equal value by their cells from left to right.
inline void sort_most_first(Table& table, const std::string& column) {
  const ColumnValues& key = table.values(table.column(column));
  table.sort([&](uint32_t a, uint32_t b) {
    if (const auto order = key.compare(a, b); order != 0) return order > 0;
    return is_before_by_cells(table, a, b);
  });
  table.sorted_by = "-" + column;
}

/// Rows in descending order of the size of a change, whichever its sign, in a column of numbers without absent values;
/// rows of equal change by their cells from left to right.
inline void sort_most_changed(Table& table, const std::string& column) {
  if (table.empty()) return;
  const ColumnValues& change = table.values(table.column(column));
  // A long double holds every int64 exactly.
  const auto size_of = [&](uint32_t row) -> long double {
    if (change.type() == ColumnType::real) return std::abs(std::get<double>(change.cell(row)));
    return std::abs(static_cast<long double>(std::get<int64_t>(change.cell(row))));
  };
  table.sort([&](uint32_t a, uint32_t b) {
    if (size_of(a) != size_of(b)) return size_of(a) > size_of(b);
    return is_before_by_cells(table, a, b);
  });
}

/// Rows in order of the column start_ns; rows of equal value keep their order.
inline void sort_by_start(Table& table) {
  const ColumnValues& start = table.values(table.column("start_ns"));
  table.sort([&](uint32_t a, uint32_t b) { return start.compare(a, b) < 0; });
  table.sorted_by = "+start_ns";
}

}  // namespace cgpu
